/** A store on a new database of an engine, as long as some work takes. */
import { systemClock } from '../../src/common/system-clock.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { unhurried } from '../support/time/clock.ts'
import type { StoreEngine } from './engines.ts'

type Started = Pick<Awaited<ReturnType<StoreEngine['start']>>, 'createDatabase'>

/**
 * `serving`: as the service opens it; on SQLite its writes go through the thread. `clock`: one in which no wait is too
 * long, unless told.
 */
export async function withNewStore(
  engine: Started,
  work: (store: Store) => Promise<void>,
  { serving = false, clock = unhurried(systemClock) } = {},
): Promise<void> {
  const store = await openStore(await engine.createDatabase(), { serving, clock })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
