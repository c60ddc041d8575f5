/** The ledger of 2.1, which was kept by the hour, opened by this version on both engines. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open.ts'
import { openEarlier } from '../store/earlier.ts'
import { memoryFolder } from '../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { NO_USE } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const DAY = 20_600
/** Hours of a day, the day before in hours and in a row that was rolled up. */
const ROWS = `INSERT INTO ledger VALUES
  (1, ${24 * DAY}, 'key_a', 'getPet', 5, 0, 0, 0, 2, 0), (1, ${24 * DAY + 23}, 'key_a', 'getPet', 7, 1, 2, 3, 0, 4),
  (1, ${24 * DAY}, 'key_b', 'listPets', 1, 0, 0, 0, 0, 0),
  (1, ${24 * DAY - 1}, 'key_a', 'getPet', 9, 0, 0, 0, 0, 0), (24, ${24 * DAY - 24}, 'key_a', 'getPet', 90, 0, 0, 0, 0, 0)`
const SUMMED = [
  { day: DAY - 1, operation: 'getPet', sums: { ...NO_USE, admitted: 99 } },
  {
    day: DAY,
    operation: 'getPet',
    sums: { admitted: 12, refusedByMinute: 1, refusedByDay: 2, refusedByBan: 3, answered4xx: 2, answered5xx: 4 },
  },
  { day: DAY, operation: 'listPets', sums: { ...NO_USE, admitted: 1 } },
]

async function sumsIn(url: string) {
  const store = await openStore(url, { serving: false, clock: patientClock })
  const sums = await store.ledger.sums({ lineage: undefined, fromDay: 0, toDay: DAY + 1 })
  await store.close()
  return sums
}

describe('the hours of 2.1', () => {
  it('are summed by day on SQLite', async () => {
    const path = join(memoryFolder(), 'pets.db')
    const file = openEarlier(path)
    file.exec(ROWS)
    file.close()
    assert.deepEqual(await sumsIn(`sqlite:${path}`), SUMMED)
  })

  it('are summed by day on PostgreSQL, also those that a node of 2.1 saves later', postgresNeeded, async () => {
    const url = await (await sharedPostgres()).createDatabase()
    await sumsIn(url)
    const client = new pg.Client(url)
    await client.connect()
    const counts = ['admitted', 'refused_by_minute', 'refused_by_day', 'refused_by_ban', 'answered_4xx', 'answered_5xx']
    await client.query(
      `CREATE TABLE ledger (span bigint, hour bigint, lineage text COLLATE "C", operation text COLLATE "C",
        ${counts.map((name) => `${name} bigint`)})`,
    )
    await client.query(ROWS)
    await client.query('UPDATE pets_schema SET version = 20')
    assert.deepEqual(await sumsIn(url), SUMMED)
    await client.query(`INSERT INTO ledger VALUES (1, ${24 * DAY + 23}, 'key_b', 'listPets', 3, 0, 0, 0, 0, 0)`)
    await client.end()
    const [before, day, last] = SUMMED
    assert.deepEqual(await sumsIn(url), [before, day, { ...last, sums: { ...NO_USE, admitted: 4 } }])
  })
})
