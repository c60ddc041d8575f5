/** What somebody else does between the comparison of a sync and its writes is compared again, and never overwritten. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import { openStore } from '../../../src/store/open.ts'
import { FileDatabase } from '../../../src/store/sqlite/file/file-database.ts'
import { fileId } from '../../../src/store/sqlite/file/wal.ts'
import type { FileRow } from '../../../src/store/staging.ts'
import type { Store } from '../../../src/store/store.ts'
import { type SyncOutcome, Syncs } from '../../../src/store/sync.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../../support/servers/postgres.ts'
import { authorAt, batchesOf, PLAIN_SYNC, WHOLE_JOURNAL } from '../../support/store.ts'
import { patientClock } from '../../support/time/clock.ts'
import { until } from '../../support/until.ts'

const by = authorAt(1)
const PLAIN = { ...PLAIN_SYNC, missing: 'remove', adopts: true } as const

const row = (name: string, n: number): FileRow => {
  return { name, categoryId: 1n, status: undefined, reference: `A${n}`, line: n + 2 }
}

async function prepare(store: Store): Promise<void> {
  await store.sync.run(batchesOf(['Rex', 'Luna'].map(row)), PLAIN)
  await store.pets.create({ name: 'Tom', categoryId: 1n })
}

const secondList = () => batchesOf([row('Hasso', 0), row('Tom', 2)])

/** Rex was renamed, Luna removed and Tom reserved by somebody else before the sync could write. */
async function assertCompared(outcome: SyncOutcome, store: Store): Promise<void> {
  assert.deepEqual(outcome.counts, { added: 0, adopted: 1, changed: 1, restored: 0, left: 0, marked: 0, removed: 0 })
  assert.deepEqual(
    outcome.changes.map(({ id, before }) => [id, before?.name, before?.status]),
    [
      [1n, 'Rexy', null],
      [3n, 'Tom', 'pending'],
    ],
  )
  assert.equal((await store.records.journal({ ...WHOLE_JOURNAL, petId: 1n }))[0]?.from, '{"name":"Rexy"}')
  assert.match((await store.pets.get(3n)) ?? '', /"pending"/)
  assert.equal(await store.pets.get(2n), undefined)
}

/** Syncs the second list on a new file of SQLite; `disturb` is done between the comparison and its writes. */
async function syncDisturbed(
  disturb: (store: Store) => Promise<unknown>,
  look: (outcome: SyncOutcome, store: Store) => unknown,
): Promise<void> {
  const path = `${temporaryFolder()}/pets.db`
  const store = await openStore(`sqlite:${path}`, { serving: false, clock: patientClock })
  await prepare(store)
  const database = new FileDatabase({ path, clock: patientClock, fileId: fileId(path), isServing: false })
  const { bulk } = database
  database.bulk = (tables, work) =>
    bulk.call(database, tables, (sql, begin) =>
      work(sql, async () => {
        await disturb(store)
        await begin()
      }),
    ) as ReturnType<typeof work>
  await look(await new Syncs(database).run(secondList(), PLAIN), store)
  await database.close()
  await store.close()
}

it('in SQLite, where the comparison does not keep others from writing', () =>
  syncDisturbed(async ({ records }) => {
    await records.change([1n], { name: 'Rexy' }, by)
    await records.remove([2n], by)
    await records.change([3n], { status: 'pending' }, by)
  }, assertCompared))

it('whichever member of an animal it is', async () => {
  for (const change of [{ name: 'Rexy' }, { categoryId: 2n }, { status: 'pending' }] as const) {
    await syncDisturbed(
      ({ records }) => records.change([1n], change, by),
      ({ changes }) => assert.partialDeepStrictEqual(changes[0]?.before, change),
    )
  }
})

it('in PostgreSQL, where it waits for the transactions of others', postgresNeeded, async () => {
  const server = await sharedPostgres()
  const url = await server.createDatabase()
  const store = await openStore(url, { serving: false, clock: patientClock })
  await prepare(store)
  const other = new Client({ connectionString: url })
  await other.connect()
  await other.query(`BEGIN;
    UPDATE pets SET name = 'Rexy' WHERE id = 1;
    WITH gone AS (DELETE FROM pets WHERE id = 2 RETURNING *) INSERT INTO removed_pets (id, name, category_id, status, removed_at_ms) SELECT id, name, category_id, status, 1 FROM gone;
    UPDATE pets SET status = 'pending' WHERE id = 3`)
  const running = store.sync.run(secondList(), PLAIN)
  await until('the sync waits for the other transaction', async () => {
    const { rows } = await other.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return rows.length > 0
  })
  await other.query('COMMIT')
  await assertCompared(await running, store)
  await other.end()
  await store.close()
  await server.stop()
})
