/**
 * One PostgreSQL database behind a bounded pool. Nothing here needs a session: every statement is unnamed and
 * parameterised, and no setting is sent at connection time, so a pooler in transaction mode may stand in between. Every
 * wait is bounded, for a connection and for the answer. Neither is taken as proof that the database is down
 * (./health.ts).
 *
 * A statement that is given up goes on at the server, whether it waits for a lock, for a lost standby or in a frozen
 * server. So its connection stays open, and counts as used, until the server has answered: nothing that this side does
 * ends all of these waits, and a cancel request would show others a commit that no standby has.
 */
import type { ClientBase, ClientConfig, PoolClient } from 'pg'
import { type Clock, sleep, within } from '../../../common/clock.ts'
import { Batches, busy } from '../../batches.ts'
import { type Cell, int, type SqlRow } from '../../sql.ts'
import { type OnAttempt, type OpenOptions, StoreUnavailable, StoreUnusable } from '../../store.ts'
import { Connections, ignore, type PoolLimits, TimedClient } from './connections.ts'
import { failure, isUnreachable, leavesConnectionUsable, NoAnswer, reason } from './errors.ts'
import { Health } from './health.ts'
import { migrate } from './migrations.ts'

/** A request needs a key, a decision and animals, one after the other, and all of it should take less than 2 s. */
const STATEMENT_MS = 1_200
/** More than the batches of any one table have in flight: while it is locked, other statements find a connection. */
const POOL = { max: 9, withinMs: 1_000, idleTimeoutMillis: 60_000 }
/** The office allows one import and two exports at a time, so searches and reports find a connection. */
const LONG_POOL = { max: 4, withinMs: 5_000, idleTimeoutMillis: 1_000 }
/** Apart, so that acts whose commits wait for a lost standby take no connection from those who read. */
const ACT_POOL = { ...LONG_POOL, max: 2 }
/** Statements outside of batches, at a time: screens of the office, mostly. */
const SINGLE = { inFlight: 3, maxItems: 1, maxMs: 1_000 }
/** A standby may first have an import to write. Whoever waits for longer is told that it may have been done. */
const COMMIT_MS = 30_000
/** A statement without an answer for this long makes a probe check the database. */
const SUSPECT_AFTER_MS = 250
const PROBE_MS = 900
const START_RETRY_MS = 250
/** How long a service that starts together with its database waits for it, and how often it reports that. */
const START_TIMEOUT_MS = 20_000
const START_WORD_EVERY_MS = 2_000
const CLOSE_TIMEOUT_MS = 2_000

type DatabaseOptions = Pick<OpenOptions, 'serving' | 'clock' | 'events' | 'onUpgrade'>

/**
 * Which of these backends still run a statement, and the backend that answers. Behind a pooler that is another one than
 * the connection was told at its start, so numbers say nothing there.
 */
const RUNNING = `
  SELECT pid FROM pg_stat_activity
  WHERE pid = pg_backend_pid() OR (pid = ANY($1::int[]) AND state IS DISTINCT FROM 'idle')`

/** The numbers of PostgreSQL's types: boolean, the integers, and numeric, of which there are none but whole ones. */
const BOOLEAN = 16
const INTEGERS = [20, 21, 23, 1700]

/** Rows are as those of SQLite (../../sql.ts). */
const TYPES = {
  getTypeParser(oid: number): (text: string) => Cell {
    if (oid === BOOLEAN) return (text) => (text === 't' ? 1n : 0n)
    return INTEGERS.includes(oid) ? BigInt : (text) => text
  },
}

/** `withinMs`: the time limit of the answer, if it has one. */
export type Query = (sql: string, values?: readonly unknown[], withinMs?: number) => Promise<readonly SqlRow[]>

type Statement = readonly [sql: string, values: readonly unknown[], withinMs: number, kind: 'reads' | 'writes' | 'own']

export class PostgresDatabase {
  readonly clock: Clock
  readonly #config: ClientConfig
  /** For the batches of requests, and what is short. */
  readonly #pool: Connections
  /** For work that may take long: imports, exports, counts, searches. */
  readonly #longPool: Connections
  /** For what people change. */
  readonly #actPool: Connections
  /** Connections whose statement was given up and has not ended. */
  readonly #givenUp = new Set<PoolClient>()
  readonly #singles: Batches<Statement, readonly SqlRow[]>
  readonly #health: Health
  readonly #onAttempt: OnAttempt | undefined
  #closed = false

  private constructor(url: string, { clock, events }: DatabaseOptions) {
    this.clock = clock
    this.#onAttempt = events?.onAttempt
    this.#config = {
      connectionString: url,
      fallback_application_name: 'pets',
      keepAlive: true,
      types: TYPES,
    }
    const open = (limits: PoolLimits) => new Connections(this.#config, clock, limits)
    ;[this.#pool, this.#longPool, this.#actPool] = [open(POOL), open(LONG_POOL), open(ACT_POOL)]
    this.#singles = new Batches(async (statements) => Promise.all(statements.map((one) => this.#ask(...one))), {
      ...SINGLE,
      clock,
      refusal: this.refusal,
    })
    this.#health = new Health({
      clock,
      probe: () => this.#probe(),
      isUnfinished: () => this.#givenUp.size > 0,
      // An older connection may be dead without its socket knowing.
      onDown: () => this.#pool.dropIdle(),
      onTrouble: (trouble) => events?.onTrouble(trouble),
    })
  }

  /** Connects and migrates the tables. Throws StoreUnusable. */
  static async open(url: string, options: DatabaseOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(url, options)
    try {
      await database.#reach(options)
      await migrate(database, options.onUpgrade)
      return database
    } catch (error) {
      await database.close()
      if (error instanceof StoreUnusable) throw error
      throw new StoreUnusable(`The database cannot be used: ${reason(error)}`)
    }
  }

  async #reach({ serving, events }: DatabaseOptions): Promise<void> {
    const deadlineMs = this.clock.monotonic() + (serving ? START_TIMEOUT_MS : 0)
    let why = 'no answer yet'
    const word = this.clock.every(START_WORD_EVERY_MS, () => events?.onWaiting(why))
    try {
      for (;;) {
        try {
          return await this.#checkEncoding()
        } catch (error) {
          if (!isUnreachable(error) || this.clock.monotonic() > deadlineMs) throw error
          why = reason(error)
          await sleep(this.clock, START_RETRY_MS)
        }
      }
    } finally {
      this.clock.cancel(word)
    }
  }

  async #checkEncoding(): Promise<void> {
    const rows = await this.#runLong('SHOW server_encoding')
    const encoding = String(rows[0]?.[0])
    if (/^UTF-?8$/i.test(encoding)) return
    throw new StoreUnusable(
      `The database's encoding is ${encoding}; create it with ENCODING 'UTF8' to hold every name.`,
    )
  }

  /**
   * For a statement that only reads, of a batch: one that is given up keeps the place of its batch (../../batches.ts).
   * Throws StoreUnavailable, within 1.2 s unless another limit is given.
   */
  readonly query: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, 'reads')

  /** For a statement that writes: if it was sent and not answered, StoreUnavailable says that it may have been done. */
  readonly change: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, 'writes')

  /** For a statement that comes alone: a few run at a time, those that were given up included. */
  readonly single: Query = (sql, values = [], withinMs = STATEMENT_MS) =>
    this.#singles.submit([sql, values, withinMs, 'reads'])

  /** The same of what a node does by itself: that it is refused is no trouble of requests, and told by `attempt`. */
  readonly own: Query = (sql, values = [], withinMs = STATEMENT_MS) =>
    this.#singles.submit([sql, values, withinMs, 'own'])

  /** On a connection of the pool, in the order of the requests for one. */
  async #ask(...[sql, values, withinMs, kind]: Statement): Promise<readonly SqlRow[]> {
    if (this.#health.down !== undefined) throw this.#health.down
    const deadlineMs = this.clock.monotonic() + withinMs
    /** A failure before it was sent has changed nothing. */
    const sent: { /** Where it runs at the moment. */ on?: PoolClient | undefined } = {}
    const work = async () => {
      const client = await this.#pool.take()
      let isUsable = true
      try {
        if (this.clock.monotonic() >= deadlineMs) throw busy('a connection took too long to get')
        sent.on = client
        return await run(client, sql, values)
      } catch (error) {
        isUsable = error instanceof StoreUnavailable || leavesConnectionUsable(error)
        throw error
      } finally {
        if (sent.on) sent.on = undefined
        this.#givenUp.delete(client)
        client.release(!isUsable)
      }
    }
    try {
      const rows = await this.#inTime(work(), withinMs)
      this.#health.noteAnswer()
      return rows
    } catch (error) {
      if (error instanceof NoAnswer && sent.on !== undefined) this.#givenUp.add(sent.on)
      const reported = failure(error, { wasWriting: kind === 'writes' && 'on' in sent, isReported: true })
      if (isUnreachable(error)) this.#health.suspect(reason(error))
      else if (reported instanceof StoreUnavailable) {
        if (kind === 'own') throw new StoreUnavailable(reported.reason, { cause: error })
        this.#health.noteRefusal(reported.reason)
      }
      throw reported
    }
  }

  /** Fails if `work` takes longer; after a while it lets a probe check whether the database answers at all. */
  #inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
    const suspicion = this.clock.after(SUSPECT_AFTER_MS, () => this.#health.suspect())
    const late = () => {
      throw new NoAnswer(noAnswerWithin(withinMs), work)
    }
    return within(this.clock, withinMs, work, late).finally(() => this.clock.cancel(suspicion))
  }

  /** For a statement that may take long. Throws StoreUnavailable. */
  readonly longQuery: Query = (sql, values = []) => this.#runLong(sql, values).catch(fail)

  async #runLong(sql: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    const client = await this.#longPool.take()
    try {
      const rows = await run(client, sql, values)
      client.release()
      return rows
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** For what is tried again and again: tells whether it has failed, unless that is because the database closes. */
  async attempt(trouble: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      this.#onAttempt?.(trouble)
    } catch (error) {
      if (!this.#closed) this.#onAttempt?.(trouble, error)
    }
  }

  /** Long work between `begin` and COMMIT on one connection; if it fails, nothing of it was done. */
  async transaction<T>(begin: string, work: (query: Query) => Promise<T>, pool = this.#longPool): Promise<T> {
    using transaction = await this.begin(begin, pool)
    const result = await work(transaction.query)
    await transaction.commit()
    return result
  }

  /** The same for what people change. */
  act<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.transaction('BEGIN', work, this.#actPool)
  }

  /** A connection with a transaction begun. Its disposal returns it, and closes it unless committed: that rolls back. */
  async begin(begin: string, pool = this.#longPool) {
    const client = await pool.take().catch(fail)
    let sent: Promise<unknown> = Promise.resolve()
    const send: Query = (sql, values = []) => {
      const answer = run(client, sql, values)
      sent = answer.catch(ignore)
      return answer
    }
    const query: Query = (sql, values) => send(sql, values).catch(fail)
    let isCommitted = false
    const commit = async () => {
      await this.#inTime(send('COMMIT'), COMMIT_MS).catch(failCommit)
      isCommitted = true
    }
    const end = () => {
      this.#givenUp.add(client)
      void sent.then(() => {
        this.#givenUp.delete(client)
        client.release(!isCommitted)
      })
    }
    await query(begin).catch((error: unknown) => {
      end()
      throw error
    })
    return { query, commit, [Symbol.dispose]: end }
  }

  /** The error for requests that are refused because they arrive faster than they are answered. */
  readonly refusal = (why: string): StoreUnavailable => {
    const refusal = busy(why)
    this.#health.noteRefusal(refusal.reason)
    return refusal
  }

  /** Also closes those connections of statements given up whose backends have ended, or do not know of a statement. */
  async #probe(): Promise<void> {
    const client = new TimedClient(this.#config, this.clock, 2 * PROBE_MS)
    client.on('error', ignore)
    const givenUp = [...this.#givenUp]
    const probing = client.connect().then(async () => {
      const running = (await run(client, RUNNING, [givenUp.map(processId)])).map(([pid]) => int(pid))
      if (!running.includes(processId(client))) return
      for (const dead of givenUp.filter((one) => !running.includes(processId(one)))) {
        if (this.#givenUp.has(dead)) dead.end().catch(ignore)
      }
    })
    const fail = () => {
      throw new NoAnswer(noAnswerWithin(PROBE_MS))
    }
    await within(this.clock, PROBE_MS, probing, fail).finally(() => void client.end().catch(ignore))
  }

  /** Lets statements in flight finish, but not forever: with a frozen server they would not. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#health.close()
    for (const client of this.#givenUp) client.end().catch(ignore)
    const ended = Promise.all([this.#pool, this.#longPool, this.#actPool].map((pool) => pool.end()))
    await within<unknown>(this.clock, CLOSE_TIMEOUT_MS, ended, ignore)
  }
}

function fail(error: unknown): never {
  throw failure(error)
}

/** Throws StoreUnavailable, with advice for the person who ran the command if no answer came. */
function failCommit(cause: unknown): never {
  const error = failure(cause, { wasWriting: true })
  if (!(error instanceof StoreUnavailable) || error.outcome !== 'unknown') throw error
  const why = `${error.reason} All of it may have been done, or nothing; look before you do it again.`
  throw new StoreUnavailable(why, { cause, isReported: true, outcome: 'unknown' })
}

function noAnswerWithin(ms: number): string {
  return `it gave no answer within ${Math.round(ms)} ms.`
}

/** The number of a connection's backend, which `pg` has, and its types lack. */
function processId(client: ClientBase): number {
  return 'processID' in client ? Number(client.processID) : 0
}

async function run(on: ClientBase, sql: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
  const statement = {
    text: sql,
    rowMode: 'array' as const,
    // Without values the simple protocol is used, which accepts several statements at once: a migration is a list of
    // them.
    ...(values.length > 0 && { values: [...values] }),
  }
  const { rows } = await on.query<Cell[]>(statement)
  return rows
}
