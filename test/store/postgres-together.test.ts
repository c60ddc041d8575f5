/** What several sessions do at the same time on PostgreSQL: nothing is lost, doubled, or refused for another's sake. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from 'pg'
import { PostgresDatabase } from '../../src/store/postgres/connection/database.ts'
import { DIALECT } from '../../src/store/postgres/operator-database.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/store.ts'
import type { Sql } from '../../src/store/sql.ts'
import { type Databases, postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { batchesOf, PLAIN_IMPORT } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { until } from '../support/until.ts'
import { closeAfterEach } from './closing.ts'

const WITH_IDS = { ...PLAIN_IMPORT, withIds: true }
const { by } = PLAIN_IMPORT

const fileOf = (ids: readonly bigint[]) => batchesOf(ids.map((id) => ({ id, name: `imported ${id}`, categoryId: 1n })))

function range(first: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, n) => BigInt(first + n))
}

describe('at the same time on PostgreSQL', { concurrency: false, ...postgresNeeded }, () => {
  const { closing, clientOf } = closeAfterEach()
  let server: Databases

  before(async () => {
    server = await sharedPostgres()
  })
  after(() => server.stop())

  /** Two stores of one new database, as of two nodes, and a session in which the test does things by hand. */
  async function withSessions(
    work: (one: PostgresStore, other: PostgresStore, hand: Client, newHand: () => Promise<Client>) => Promise<void>,
  ) {
    const url = await server.createDatabase()
    const open = async () => closing(await openPostgres(url, { serving: false, clock: patientClock }))
    await work(await open(), await open(), await clientOf(url), () => clientOf(url))
  }

  /** Until so many other sessions wait for a lock that `hand` holds. */
  const untilWaiting = (hand: Client, others = 1) =>
    until('somebody waits', async () => {
      const { rows } = await hand.query(
        // Unlike pg_stat_activity no transaction keeps it, and it knows whoever has connected since.
        'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))',
      )
      return rows.length >= others
    })

  it('each edit of an animal restored in the meantime records its state before', () =>
    withSessions(async (one, other, removing, newHand) => {
      const [restoring, texts] = [await newHand(), await newHand()]
      const { id } = await one.pets.create({ name: 'Luna', categoryId: 1n })
      await texts.query('BEGIN; LOCK TABLE pet_references')
      await removing.query(`BEGIN; DELETE FROM pets;
        INSERT INTO removed_pets (id, name, category_id, removed_at_ms) VALUES (${id}, 'Luna', 1, 1)`)
      const locking = restoring.query('BEGIN; LOCK TABLE removed_pets IN EXCLUSIVE MODE')
      await untilWaiting(removing)
      const first = one.records.change([id], { name: 'Lina', reference: 'A1' }, by)
      await untilWaiting(removing, 2)
      await removing.query('COMMIT')
      await locking
      await untilWaiting(restoring)
      await restoring.query(`DELETE FROM removed_pets;
        INSERT INTO pets (id, name, category_id) VALUES (${id}, 'Luna', 1); COMMIT`)
      await untilWaiting(texts)
      let isDone = false
      const second = other.records.change([id], { name: 'Dora' }, by).finally(() => {
        isDone = true
      })
      await until('the second edit is done, or waits for the first', async () => {
        const { rows } = await removing.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return isDone || rows.length > 1
      })
      await texts.query('COMMIT')
      await Promise.all([first, second])
      const entries = await one.records.journal({ petId: id, limit: 2 })
      assert.deepEqual(
        entries.map(({ from, to }) => [from, to]),
        [
          ['{"name":"Lina"}', '{"name":"Dora"}'],
          ['{"name":"Luna","reference":null}', '{"name":"Lina","reference":"A1"}'],
        ],
      )
    }))

  it('an undo skips and reports animals that someone is changing at that moment', () =>
    withSessions(async (store, _, hand) => {
      const { n = 0n } = await store.imports.add(fileOf(range(1, 100)), WITH_IDS)
      await hand.query("BEGIN; UPDATE pets SET status = 'sold' WHERE id = 7")
      const values = `'{"status":null}', '{"status":"sold"}'`
      await hand.query(
        `INSERT INTO journal (at_ms, who, act, pet_id, from_values, to_values) VALUES (1, 'somebody', 'edit', 7, ${values})`,
      )
      const undone = store.imports.undo(n, by)
      await untilWaiting(hand)
      await hand.query('COMMIT')
      assert.deepEqual(await undone, { removed: 99, kept: 1 })
      assert.match((await store.pets.get(7n)) ?? '', /sold/)
    }))

  it('a request in a session that is being ended waits without blocking others', () =>
    withSessions(async (store, _, hand) => {
      const ada = { name: 'Ada', folded: 'ada', role: 'staff', hash: 'link', endsAtMs: by.atMs + 1 } as const
      await store.people.invite(ada, by)
      await store.people.accept('link', 'passphrase', { hash: 'session', atMs: by.atMs })
      await hand.query("BEGIN; SELECT FROM people WHERE n = 1 FOR UPDATE; SET LOCAL lock_timeout = '1ms'")
      const seen = store.people.noteSeen('session', by.atMs + 1)
      await untilWaiting(hand)
      await hand.query('DELETE FROM sessions; COMMIT')
      await seen
    }))

  it('creates during an import with ids get other ids immediately', () =>
    withSessions(async (one, other, hand) => {
      await hand.query("BEGIN; INSERT INTO pets (id, name, category_id) VALUES (50, 'in its way', 1)")
      const imported = one.imports.add(fileOf(range(1, 50)), WITH_IDS)
      await untilWaiting(hand)
      const created = await Promise.all(range(0, 20).map((n) => other.pets.create({ name: `${n}`, categoryId: 1n })))
      await hand.query('ROLLBACK')
      assert.deepEqual((await imported).takenIds, [])
      assert.deepEqual(
        created.map(({ id }) => id),
        range(51, 20),
      )
    }))

  it('an id that a create has drawn and not committed yet is taken, and nothing is imported', () =>
    withSessions(async (store, _, hand) => {
      await hand.query("BEGIN; INSERT INTO pets (name, category_id) VALUES ('drawn', 1)")
      const refused = store.imports.add(fileOf(range(1, 10)), WITH_IDS)
      await untilWaiting(hand)
      await hand.query('COMMIT')
      const { file, n, takenIds } = await refused
      assert.deepEqual([file.rows, n, takenIds], [10, undefined, [1n]])
      assert.equal((await store.pets.count()).none, 1)
      await hand.query("BEGIN; INSERT INTO pets (id, name, category_id) VALUES (20, 'given up', 1)")
      const imported = store.imports.add(fileOf(range(11, 10)), WITH_IDS)
      await untilWaiting(hand)
      await hand.query('ROLLBACK')
      assert.deepEqual((await imported).takenIds, [])
      assert.equal((await store.pets.create({ name: 'next', categoryId: 1n })).id, 21n)
    }))

  it('ids that are moved ahead, a little or far, are greater from then on, and never go back', async () => {
    const options = { serving: false, clock: patientClock }
    const database = closing(await PostgresDatabase.open(await server.createDatabase(), options))
    const next = async () => BigInt((await database.query("SELECT nextval('pet_ids')"))[0]?.[0] ?? '')
    const expected = [
      [0n, 1n],
      [1n, 2n],
      [7n, 8n],
      [3n, 9n],
      [50_000n, 50_001n],
      [-5n, 50_002n],
      [2n ** 62n - 1n, 2n ** 62n],
      [2n ** 61n, 2n ** 62n + 1n],
    ] as const
    for (const [ahead, id] of expected) {
      await DIALECT.reserveIdsUpTo(database.query as unknown as Sql, ahead)
      assert.equal(await next(), id)
    }
  })
})
