/** Specific to PostgreSQL: cached keys, bounded waits, broken connections, counters, and unusable databases. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, DAY_MS } from '../../../src/common/clock.ts'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { Keys } from '../../../src/store/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import { PostgresDatabase } from '../../../src/store/postgres/connection/database.ts'
import { TABLES, TABLES_HASHES } from '../../../src/store/postgres/connection/migrations.ts'
import { PostgresCounters } from '../../../src/store/postgres/counters.ts'
import { keyLookup } from '../../../src/store/postgres/key-lookup.ts'
import { onPostgres } from '../../../src/store/postgres/operator-database.ts'
import { PostgresPets } from '../../../src/store/postgres/pets.ts'
import { openPostgres } from '../../../src/store/postgres/store.ts'
import { type OpenOptions, StoreUnavailable, StoreUnusable } from '../../../src/store/store.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { freePort } from '../../support/servers/servers.ts'
import { behindSlowLink } from '../../support/servers/slow-link.ts'
import { authorAt, batchesOf, keyOf, PLAIN_IMPORT, textOf } from '../../support/store.ts'
import { patientClock } from '../../support/time/clock.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'
import { closeAfterEach } from '../closing.ts'

/** Of the event loop: whoever waits for nothing has an answer by then. */
const TURNS = 20
const STEP_MS = 50
const PROBE_EVERY_MS = 250
const key = keyOf({ id: 'k1' })
const NEWEST = { limit: 20, status: undefined, before: undefined }
const LIMITS = { perMinute: 10, perDay: 100, ban: undefined }
const NOW_MS = Date.UTC(2026, 10, 21, 12)

describe('PostgreSQL', { concurrency: false, ...postgresNeeded }, () => {
  const { closing, clientOf } = closeAfterEach()
  let server: TestPostgres

  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  const databaseAt = (url: string, clock: Clock = patientClock) =>
    PostgresDatabase.open(url, { serving: false, clock }).then(closing)
  const newDatabase = async () => databaseAt(await server.createDatabase())

  const storeAt = async (url: string, options: Partial<OpenOptions> = {}) =>
    closing(await openPostgres(url, { serving: false, clock: patientClock, ...options }))
  const sql = async (url: string, text: string) => (await clientOf(url)).query(text)

  it('creates an animal with a short name before waiting ones with long names', async () => {
    const pets = new PostgresPets(await newDatabase())
    const done: string[] = []
    const create = (name: string) => pets.create({ name, categoryId: 1n }).then(() => done.push(name.slice(0, 5)))
    const long = Array.from({ length: 20 }, () => create('long '.repeat(13_000)))
    await Promise.all([...long, create('short')])
    assert(done.indexOf('short') < long.length / 2, done.join())
  })

  /** A store with one old pending animal behind 20,000 sold ones. `read`: how many rows have been read so far. */
  async function oldAmongSold() {
    const url = await server.createDatabase()
    const store = await storeAt(url)
    const old = { name: 'Old', categoryId: 1n, status: 'pending' as const }
    const sold = Array.from({ length: 20_000 }, (_, n) => ({ name: `${n}`, categoryId: 1n, status: 'sold' as const }))
    await store.imports.add(batchesOf<NewPet>([old], sold), PLAIN_IMPORT)
    const client = await clientOf(url)
    const read = async (): Promise<number> => {
      const work = 'SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_user_tables'
      return Number((await client.query(`${work} WHERE relid = 'pets'::regclass`)).rows[0].n)
    }
    return { store, read }
  }

  it('a known key takes no round trip, and a revocation elsewhere counts within 5 s (O7)', async () => {
    const url = await server.createDatabase()
    const clock = new VirtualClock()
    const [here, elsewhere] = [await databaseAt(url, clock), await databaseAt(url)]
    const keys = keyLookup(here)
    await new Keys(onPostgres(here)).add(key, 'hash', authorAt(1))
    await keys.find('hash')
    await new Keys(onPostgres(elsewhere)).revoke(key.id, authorAt(5))
    const kept = keys.find('hash')
    assert.ok(!(kept instanceof Promise) && kept?.revokedAtMs === undefined)
    clock.pass(4_999)
    assert.equal((await keys.find('hash'))?.revokedAtMs, 5)
  })

  it('a look-up in flight while the key is revoked here is not cached', async () => {
    const database = await newDatabase()
    const [isRead, onItsWay] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    /** The same database, but what a SELECT has read takes its time to arrive. */
    const slow: PostgresDatabase = Object.create(database, {
      query: {
        value: async (sql: string, values: readonly unknown[]) => {
          const rows = await database.query(sql, values)
          if (sql.startsWith('SELECT')) {
            isRead.resolve()
            await onItsWay.promise
          }
          return rows
        },
      },
      transaction: { value: database.transaction.bind(database) },
    })
    const lookup = keyLookup(slow)
    const keys = new Keys(onPostgres(database), lookup.forget)
    await keys.add(key, 'hash', authorAt(1))
    const asked = lookup.find('hash')
    await isRead.promise
    await keys.revoke(key.id, authorAt(5))
    onItsWay.resolve()
    await asked
    assert.equal((await lookup.find('hash'))?.revokedAtMs, 5)
  })

  it('a frozen server fails requests within 2 s, new ones immediately, until it is back', async () => {
    await using link = await behindSlowLink(await server.createDatabase(), 0)
    const clock = new VirtualClock()
    const store = await storeAt(link.url, { clock })
    const { id, json } = await store.pets.create({ name: 'Rex', categoryId: 1n })
    const everything = () => [
      store.pets.get(id),
      store.pets.list(NEWEST),
      store.pets.create({ name: 'Mia', categoryId: 1n }),
      store.requests.findKey('hash'),
      store.ping(),
    ]
    /** What fails before other things had their turns, with time standing still. */
    const allFail = async (when: string, asked = Promise.allSettled(everything())) => {
      const later = turns().then(() => assert.fail(`not ${when}`))
      for (const outcome of await Promise.race([asked, later])) {
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
      }
    }
    link.freeze()
    const first = Promise.allSettled(everything())
    for (let ms = 0; ms < 2_000; ms += STEP_MS) {
      clock.pass(STEP_MS)
      await nextTurn()
    }
    await allFail('within 2 s', first)
    for (const round of ['once', 'twice']) await allFail(`at once, ${round}`)
    link.thaw()
    const back = await soon(() => {
      clock.pass(PROBE_EVERY_MS)
      return store.pets.get(id)
    })
    assert.equal(back, json)
  })

  it('a server that accepts a connection and says nothing is waited for by the clock, and left', async () => {
    await using link = await behindSlowLink(await server.createDatabase(), 0)
    link.freeze()
    const clock = new VirtualClock()
    const opened = openPostgres(link.url, { serving: false, clock }).then(String, String)
    await until('it is asked', () => link.connections() === 1)
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    const before = sockets()
    clock.pass(5_000)
    assert.match(await opened, /it cannot be reached \(Connection terminated due to connection timeout\)/)
    await until('its connection is closed', () => sockets() < before)
  })

  it('broken connections are not an outage: requests in flight may fail, the next ones do not', async () => {
    const url = await server.createDatabase()
    await using link = await behindSlowLink(url, 5)
    const clock = new VirtualClock()
    const told: (string | undefined)[] = []
    const events = {
      onTrouble: (trouble: string | undefined) => void told.push(trouble),
      onWaiting: () => {},
      onAttempt: () => {},
    }
    const store = await storeAt(link.url, { serving: true, clock, events })
    const admin = await clientOf(url)
    const name = new URL(url).pathname.slice(1)
    const backends = 'SELECT FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()'
    for (let round = 0; round < 5; round += 1) {
      const asked = Promise.allSettled(Array.from({ length: 20 }, () => store.pets.list(NEWEST)))
      await link.carried()
      link.cut()
      await asked
      await until('the server has seen it', async () => (await admin.query(backends, [name])).rowCount === 0)
      clock.pass(STEP_MS)
      assert.equal(textOf(await store.pets.list(NEWEST)), '[]')
    }
    assert.ok(!told.some((trouble) => trouble?.startsWith('the database does not respond:')), told.join('\n'))
  })

  it('tells an unavailable server from a bug in a statement', async () => {
    const database = await newDatabase()
    const raise = (state: string, ask = database.query) =>
      ask(`DO $$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = '${state}'; END $$`)
    // Of what is no request of the interface, only who has asked can tell it.
    const act = (sql: string) => database.act((query) => query(sql))
    for (const state of ['XX001', 'XX000', '25P04', '53100', '55P03', '57014', '58030', '25006', '42501']) {
      const refused = { name: 'StoreUnavailable', outcome: 'nothing was done' }
      await assert.rejects(raise(state), { ...refused, isReported: true }, state)
      for (const ask of [act, database.longQuery])
        await assert.rejects(raise(state, ask), { ...refused, isReported: false }, state)
    }
    await assert.rejects(raise('57P01', act), { name: 'StoreUnavailable', isReported: true })
    for (const state of ['42601', '22003', '23505', 'P0001'])
      await assert.rejects(raise(state), { code: state, message: 'invalid page' })
    assert.deepEqual(await database.query('SELECT 1'), [[1n]])
  })

  it('an interrupted export fails, and is not taken for a complete one', async () => {
    const store = await storeAt(await server.createDatabase())
    const pets = Array.from({ length: 12_000 }, (_, n) => ({ name: `${n}`, categoryId: 1n }))
    await store.imports.add(batchesOf(pets), PLAIN_IMPORT)
    await assert.rejects(async () => {
      for await (const batch of store.pets.export()) if (batch.length > 0) await server.kill()
    }, StoreUnavailable)
    await server.restart()
  })

  it('a large import is analysed immediately, even while an index is built', async () => {
    const url = await server.createDatabase()
    const store = await storeAt(url)
    const client = await clientOf(url)
    const add = () => {
      const pets = Array.from({ length: 10_000 }, (_, n) => ({ name: `${n}`, categoryId: 1n }))
      return store.imports.add(batchesOf(pets), PLAIN_IMPORT)
    }
    const known = async () =>
      (await client.query("SELECT reltuples FROM pg_class WHERE oid = 'pets'::regclass")).rows[0].reltuples
    await add()
    assert.equal(await known(), 10_000)
    // The lock that building an index holds, and that ANALYZE takes.
    await client.query('BEGIN; LOCK TABLE pets IN SHARE UPDATE EXCLUSIVE MODE')
    assert.equal((await add()).file.rows, 10_000)
    assert.equal(await known(), 10_000)
  })

  it('lists that share a statement read no more rows than they return', async () => {
    const { store, read } = await oldAmongSold()
    const before = await read()
    let answered = 0
    await until('the work is reported', async () => {
      const queries = [undefined, 'pending' as const, 'sold' as const, 'available' as const].flatMap((status) =>
        [undefined, ...Array.from({ length: 30 }, (_, n) => BigInt(20_000 - 600 * n))].map((bound, n) => ({
          limit: n % 3 === 0 ? 100 : 1,
          status,
          before: bound,
        })),
      )
      const pages = await Promise.all(queries.map((query) => store.pets.list(query)))
      for (const [n, { json }] of pages.entries()) {
        const { status, limit } = queries[n] ?? {}
        const names = (JSON.parse(String(json)) as { name: string }[]).map(({ name }) => name)
        if (status === 'available') assert.deepEqual(names, [])
        else if (status === 'pending') assert.deepEqual(names, ['Old'])
        else assert.equal(names.length, limit)
        answered += names.length + 1
      }
      return (await read()) > before
    })
    assert.ok((await read()) - before <= answered, `${(await read()) - before} rows to answer with ${answered}`)
  })

  it('a peek locks nothing, creates no row, and waits for nobody', async () => {
    const url = await server.createDatabase()
    const database = await databaseAt(url)
    const counters = closing(new PostgresCounters(database, () => NOW_MS))
    await counters.consume('seen', LIMITS)
    const other = await clientOf(url)
    await other.query("BEGIN; SELECT * FROM counters WHERE subject = 'seen' FOR UPDATE")
    const looks = await Promise.all([
      counters.peek('seen', LIMITS),
      ...Array.from({ length: 300 }, (_, n) => counters.peek(`address ${n}`, LIMITS)),
    ])
    assert.deepEqual(new Set(looks.map(({ remaining }) => remaining)), new Set([9, 10]))
    await other.query('ROLLBACK')
    const { rows } = await other.query('SELECT subject FROM counters')
    assert.deepEqual(rows, [{ subject: 'seen' }])
  })

  it('the sweep of counters keeps refusals and windows that might still matter', async () => {
    const database = await newDatabase()
    let nowMs = NOW_MS
    const counters = closing(new PostgresCounters(database, () => nowMs))
    const ban = { refusals: 2, withinMs: DAY_MS, forMs: 60_000 }
    const strict = { perMinute: 1, perDay: undefined, ban }
    for (let n = 0; n < 2; n += 1) await counters.consume('refused', strict)
    await counters.consume('counted', LIMITS)
    await counters.consume('address', { ...LIMITS, perDay: undefined })
    nowMs += DAY_MS - 1_000
    await counters.sweep()
    const left = async () => (await database.query('SELECT subject FROM counters ORDER BY subject')).flat()
    assert.deepEqual(await left(), ['counted', 'refused'])
    await counters.consume('refused', strict)
    assert.equal((await counters.consume('refused', strict)).retryAfterS, 60, 'the ban begins')
    nowMs += 2 * DAY_MS
    await counters.sweep()
    assert.deepEqual(await left(), [])
  })

  it('a change of the tables has a version of its own, or no database that is there would get it', () => {
    // Made with the one before, so that it can only stand behind that.
    const behind = (before = '') => hash('sha256', before + TABLES).slice(0, 16)
    const [last, before] = TABLES_HASHES.toReversed()
    assert(last === behind(before), `add '${behind(last)}' to TABLES_HASHES in migrations.ts`)
  })

  it('a process that migrates holds up the others, and they find its tables', async () => {
    const url = await server.createDatabase()
    await sql(
      url,
      'CREATE TABLE pets_schema (only_row boolean PRIMARY KEY DEFAULT true, version int NOT NULL); INSERT INTO pets_schema VALUES (true, 0)',
    )
    const other = await clientOf(url)
    await other.query('BEGIN; SELECT version FROM pets_schema FOR UPDATE')
    const opening = storeAt(url)
    await until('it waits', async () => {
      const { rows } = await other.query('SELECT 1 FROM pg_locks WHERE NOT granted')
      return rows.length > 0
    })
    await other.query('ROLLBACK')
    const store = await opening
    await store.pets.create({ name: 'Rex', categoryId: 1n })
  })

  const unusable = async (url: string, says: RegExp) =>
    assert.rejects(
      openStore(url, { serving: false, clock: patientClock }),
      (error) => error instanceof StoreUnusable && says.test(error.message),
    )

  it('a database that cannot be used is refused with a sentence that says what to do', async () => {
    const url = await server.createDatabase()
    await sql(url, 'CREATE TABLE pets (x int)')
    await unusable(url, /some other program; name another database/)
    const newer = await server.createDatabase()
    await sql(newer, 'CREATE TABLE pets_schema (version int); INSERT INTO pets_schema VALUES (99)')
    await unusable(newer, /newer version of this software \(schema 99.*update/)
    await unusable(url.replace(/[^/]*$/, 'nowhere'), /no such database.*create it/)
    await unusable(`postgres://nobody@127.0.0.1:${server.port}/postgres`, /refuses the user/)
    await unusable(`postgres://test_1@127.0.0.1:${await freePort()}/x`, /cannot be reached \(.*ECONNREFUSED/)
    await unusable('postgres://a b:c@[x/y', /not a valid address; write it as/)
    await unusable('mysql://localhost/x', /--database must be/)
  })
})

async function soon<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  let answer: T | undefined
  await until('an answer', async () => {
    try {
      answer = await ask()
      return true
    } catch {
      return false
    }
  })
  return answer
}

async function turns(): Promise<void> {
  for (let n = 0; n < TURNS; n += 1) await nextTurn()
}
