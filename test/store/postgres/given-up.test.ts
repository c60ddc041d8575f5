/** Abandoned statements continue in PostgreSQL. A node stays within its connections and recovers by itself. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Client } from 'pg'
import { openPostgres, type PostgresStore } from '../../../src/store/postgres/store.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { behindSlowLink } from '../../support/servers/slow-link.ts'
import { authorAt, keyOf, textOf } from '../../support/store.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'
import { closeAfterEach } from '../closing.ts'

const MOST_BACKENDS = 15
const LIMITS = { perMinute: 100, perDay: 1_000, ban: undefined }
const LOOK_EVERY_MS = 1_000
const NEWEST = { limit: 20, status: undefined, before: undefined }
const MANY = 20

describe('PostgreSQL, and what was given up', { concurrency: false, ...postgresNeeded }, () => {
  const { closing, clientOf } = closeAfterEach()
  let server: TestPostgres
  let admin: Client

  before(async () => {
    server = await startPostgres({ log_min_messages: 'fatal' })
    admin = new Client(`postgres://admin@127.0.0.1:${server.port}/postgres`)
    await admin.connect()
  })
  after(async () => {
    await admin.end()
    await server.stop()
  })

  /** A node by a clock of its own, and how many backends it has and has had at most, each time that was asked. */
  async function openNode(url: string, clock = new VirtualClock()) {
    const told: (string | undefined)[] = []
    const events = {
      onTrouble: (trouble: string | undefined) => void told.push(trouble),
      onWaiting: () => {},
      onAttempt: () => {},
    }
    const store = closing(await openPostgres(url, { serving: false, clock, events }))
    await store.pets.create({ name: 'Rex', categoryId: 1n })
    let most = 0
    const backends = async (where = 'true'): Promise<number> => {
      const sql = `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE application_name = 'pets' AND datname = $1 AND ${where}`
      const { n } = (await admin.query(sql, [new URL(url).pathname.slice(1)])).rows[0]
      if (where === 'true') most = Math.max(most, n)
      return n
    }
    return { store, clock, told, backends, most: () => most }
  }
  type Node = Awaited<ReturnType<typeof openNode>>

  const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'answered',
      (error: unknown) => (error instanceof StoreUnavailable ? error.outcome : String(error)),
    )
  const create = ({ pets }: PostgresStore, name = 'Mia') => outcomeOf(pets.create({ name, categoryId: 1n }))

  /** Asks again and again, each time until all are given up; returns what they came to, without repetition. */
  async function giveUp({ clock, backends }: Node, waits: string, ask: () => Promise<string>): Promise<Set<string>> {
    const outcomes = new Set<string>()
    for (let round = 0; round < MANY; round += 1) {
      let left = 3
      const asked = Array.from({ length: left }, () =>
        ask().then((outcome) => {
          outcomes.add(outcome)
          left -= 1
        }),
      )
      await until('they are sent', async () => left === 0 || (await backends(waits)) > 0)
      await until('they are given up', async () => {
        if (left > 0) clock.pass(100)
        return left === 0
      })
      await Promise.all(asked)
      await backends()
    }
    return outcomes
  }

  /** A clock that leaps may make a node take a database for dead on a busy machine, for a moment. */
  const untilAnswered = ({ clock }: Node, what: string, ask: () => Promise<unknown>) =>
    until(what, async () => {
      clock.pass(250)
      return (await outcomeOf(ask())) === 'answered'
    })

  it('a lost standby holds creates, acts and what they use, and nobody who reads or is counted', async () => {
    const url = await server.createDatabase()
    const node = await openNode(url)
    const { store, clock, backends } = node
    const counters = closing(store.counters())
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await admin.query('SELECT pg_reload_conf()')
    const first: Promise<string>[] = []
    let acts: Promise<string>[] = []
    try {
      await until('commits wait', async () => {
        first.push(create(store))
        return (await backends("wait_event = 'SyncRep'")) > 0
      })
      const outcomes = await giveUp(node, "wait_event = 'SyncRep'", () => create(store))
      for (const outcome of await Promise.all(first)) outcomes.add(outcome)
      assert.ok(outcomes.has('unknown') && outcomes.has('nothing was done'), [...outcomes].join())
      assert.equal(await backends("wait_event = 'SyncRep'"), 2)
      acts = [1, 2, 3].map((n) => store.keys.add(keyOf({ id: `k${n}` }), `${n}`, authorAt(n)).then(String, String))
      await until('acts wait too', async () => (await backends("wait_event = 'SyncRep'")) === 4)
      let lasting: readonly string[] = []
      const asked = [
        create(store),
        outcomeOf(Promise.resolve(store.pets.get(1n))),
        outcomeOf(store.pets.list(NEWEST)),
        outcomeOf(Promise.resolve(store.requests.findKey('1'))),
        outcomeOf(store.keys.get('k1')),
        outcomeOf(counters.consume('never seen before', LIMITS)),
        outcomeOf(Promise.resolve(store.pets.count())),
        outcomeOf(store.ping()),
      ]
      void Promise.all(asked).then((outcomes) => {
        lasting = outcomes
      })
      await until('all have an answer', () => lasting.length > 0)
      assert.deepEqual(lasting, ['nothing was done', ...Array.from({ length: 7 }, () => 'answered')])
      clock.pass(5_000)
      assert.match((await acts[2]) ?? '', /it is busy: no connection was free in time/)
      clock.pass(25_000)
      assert.match((await acts[0]) ?? '', /All of it may have been done, or nothing/)
      assert.ok((await backends("wait_event = 'SyncRep'")) === 4, 'an act that was given up counts')
    } finally {
      await admin.query('ALTER SYSTEM RESET synchronous_standby_names')
      await admin.query('SELECT pg_reload_conf()')
    }
    await Promise.all(acts)
    await untilAnswered(node, 'creates are taken', () => store.pets.create({ name: 'last', categoryId: 1n }))
    assert.match(textOf(await store.pets.list(NEWEST)), /"last"/)
    assert.ok(node.most() <= MOST_BACKENDS, `${node.most()} backends`)
  })

  it('a locked table holds those who need it, and no request that does not', async () => {
    const url = await server.createDatabase()
    const node = await openNode(url)
    const { store, backends } = node
    const counters = closing(store.counters())
    await counters.consume('known', LIMITS)
    const other = await clientOf(url)
    const locked: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
      pets: [
        () => Promise.resolve(store.pets.get(1n)),
        () => store.pets.list(NEWEST),
        () => store.pets.create({ name: 'Mia', categoryId: 1n }),
      ],
      counters: [
        () => counters.consume('known', LIMITS),
        () => counters.peek('known', LIMITS),
        () => counters.revive(),
      ],
      keys: [() => Promise.resolve(store.requests.findKey('hash'))],
      // Of the office, whose statements share places.
      people: [() => store.people.list()],
    }
    for (const table of Object.keys(locked)) {
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      for (const ask of locked[table] ?? []) {
        const outcomes = await giveUp(node, "wait_event_type = 'Lock'", () => outcomeOf(ask()))
        assert.ok(!outcomes.has('answered'), `${table}: ${[...outcomes]}`)
      }
      const elsewhere = Object.entries(locked).filter(([name]) => name !== table)
      for (const [name, asks] of elsewhere) {
        for (const ask of asks) await untilAnswered(node, `${name} while ${table} is locked`, ask)
      }
      await untilAnswered(node, `a ping while ${table} is locked`, () => store.ping())
      await other.query('ROLLBACK')
      for (const ask of locked[table] ?? []) await untilAnswered(node, `${table} is used again`, ask)
    }
    assert.ok(node.most() <= MOST_BACKENDS, `${node.most()} backends`)
    assert.equal(await backends("wait_event_type = 'Lock'"), 0)
  })

  it('connections that a firewall has forgotten are closed once the server says that nothing runs on them', async () => {
    await using link = await behindSlowLink(await server.createDatabase(), 0)
    const { store, clock } = await openNode(link.url)
    const everything = () => [
      ...Array.from({ length: MANY }, (_, n) => outcomeOf(store.pets.list({ ...NEWEST, limit: n + 1 }))),
      outcomeOf(Promise.resolve(store.pets.get(1n))),
      create(store),
    ]
    const twice = async () => {
      const first = everything()
      await nextTurn()
      await nextTurn()
      return Promise.all([...first, ...everything()])
    }
    await twice()
    link.forget()
    let tries = 0
    await until('all is answered', async () => {
      tries += 1
      let outcomes: readonly string[] | undefined
      void twice().then((all) => {
        outcomes = all
      })
      await until('each is answered or given up', () => {
        // Ever more slowly, since a busy machine may be late with each answer.
        if (outcomes === undefined) clock.pass(100 / tries)
        return outcomes !== undefined
      })
      clock.pass(LOOK_EVERY_MS)
      return outcomes?.every((one) => one === 'answered') === true
    })
  })

  it('a pool that the server does not let grow waits for what it has, and grows later', async () => {
    const url = await server.createDatabase()
    const { store, clock, backends } = await openNode(url)
    const counters = closing(store.counters())
    await until('one is left', async () => (await backends()) === 1)
    const role = new URL(url).username
    const everything = () =>
      Array.from({ length: MANY }, (_, n) => [
        outcomeOf(store.pets.list({ ...NEWEST, limit: n + 1 })),
        outcomeOf(Promise.resolve(store.pets.get(BigInt(n)))),
        outcomeOf(counters.consume(`${n}`, LIMITS)),
        outcomeOf(store.people.list()),
        create(store),
      ]).flat()
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 1`)
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(new Set(await Promise.all(everything())), new Set(['answered']))
      assert.equal(await backends(), 1)
      clock.pass(1_000)
    }
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await until('it has grown', async () => {
      clock.pass(1_000)
      await Promise.all(everything())
      return (await backends()) > 1
    })
  })

  it('a read-only database is reported once and serves lists, and counters return after a write', async () => {
    const url = await server.createDatabase()
    const { store, told } = await openNode(url)
    const counters = closing(store.counters())
    await counters.revive()
    const name = new URL(url).pathname.slice(1)
    const setReadOnly = async (isOn: boolean) => {
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn}`)
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    }
    await setReadOnly(true)
    await until('it only reads', () =>
      store.pets.create({ name: 'Mia', categoryId: 1n }).then(
        () => false,
        (error) => /only reads/.test(error.message),
      ),
    )
    for (let n = 0; n < 5; n += 1) {
      await assert.rejects(store.pets.create({ name: 'Mia', categoryId: 1n }), /it only reads/)
      assert.match(textOf(await store.pets.list(NEWEST)), /"Rex"/)
    }
    assert.equal(
      told.filter((trouble) => /^the database does not respond to every request/.test(trouble ?? '')).length,
      1,
    )
    await store.ping()
    await assert.rejects(counters.revive(), /it only reads/)
    await setReadOnly(false)
    await until('it writes', () =>
      counters.revive().then(
        () => true,
        () => false,
      ),
    )
  })
})
