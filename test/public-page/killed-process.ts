/**
 * Publishes into one folder from one database and from another in turn, until it is killed (killed.test.ts): its
 * arguments are the folder and the databases.
 */
import { publish } from '../../src/public-page/publisher.ts'
import { openStore } from '../../src/store/open.ts'
import { patientClock } from '../support/time/clock.ts'

const [folder = '', ...databases] = process.argv.slice(2)
const stores = await Promise.all(
  databases.map((database) => openStore(database, { serving: false, clock: patientClock, mustExist: true })),
)
for (let n = 0; ; n += 1) {
  const store = stores[n % stores.length]
  if (store === undefined) break
  await publish(store, folder, 0)
  if (n === 0) console.log('it has begun')
}
