/**
 * A PostgreSQL database behind bounded pools. Statements are unnamed, so a pooler in transaction mode works. An
 * abandoned statement keeps its connection until the server has ended it.
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

/** A request needs a key, a decision and animals within 2 s. */
const STATEMENT_MS = 1_200
/** More than the batches of one table use, so that a locked table does not block others. */
const POOL = { max: 9, withinMs: 1_000, idleTimeoutMillis: 60_000 }
/** The office allows one import and two exports at a time, so searches and reports find a connection. */
const LONG_POOL = { max: 4, withinMs: 5_000, idleTimeoutMillis: 1_000 }
/** Separate, so that commits that wait for a lost standby do not block reads. */
const ACT_POOL = { ...LONG_POOL, max: 2 }
const SINGLE = { inFlight: 3, maxItems: 1, maxMs: 1_000 }
/** A standby might first have to write an import. */
const COMMIT_MS = 30_000
const SUSPECT_AFTER_MS = 250
const PROBE_MS = 900
const START_RETRY_MS = 250
/** How long a starting service waits for its database, and how often it reports this. */
const START_TIMEOUT_MS = 20_000
const START_WORD_EVERY_MS = 2_000
const CLOSE_TIMEOUT_MS = 2_000

type DatabaseOptions = Pick<OpenOptions, 'serving' | 'clock' | 'events' | 'onUpgrade'>

/** The backends that still run a statement. Behind a pooler, backend numbers are meaningless. */
const RUNNING = `
  SELECT pid FROM pg_stat_activity
  WHERE pid = pg_backend_pid() OR (pid = ANY($1::int[]) AND state IS DISTINCT FROM 'idle')`

/** PostgreSQL's type numbers: boolean, integers and numeric. */
const BOOLEAN = 16
const INTEGERS = [20, 21, 23, 1700]

/** Rows have the types of SQLite's rows (../../sql.ts). */
const TYPES = {
  getTypeParser(oid: number): (text: string) => Cell {
    if (oid === BOOLEAN) return (text) => (text === 't' ? 1n : 0n)
    return INTEGERS.includes(oid) ? BigInt : (text) => text
  },
}

export type Query = (sql: string, values?: readonly unknown[], withinMs?: number) => Promise<readonly SqlRow[]>

type Statement = readonly [sql: string, values: readonly unknown[], withinMs: number, kind: 'reads' | 'writes' | 'own']

export class PostgresDatabase {
  readonly clock: Clock
  readonly #config: ClientConfig
  readonly #pool: Connections
  readonly #longPool: Connections
  readonly #actPool: Connections
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
      // An older connection might be dead without its socket noticing.
      onDown: () => this.#pool.dropIdle(),
      onTrouble: (trouble) => events?.onTrouble(trouble),
    })
  }

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

  /** A read in a batch. Throws StoreUnavailable. */
  readonly query: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, 'reads')

  /** A write. If it was sent without an answer, StoreUnavailable says that it might have been done. */
  readonly change: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, 'writes')

  /** A single statement. A few run at a time, including abandoned ones. */
  readonly single: Query = (sql, values = [], withinMs = STATEMENT_MS) =>
    this.#singles.submit([sql, values, withinMs, 'reads'])

  /** The same for background work, whose failure is reported to `attempt`. */
  readonly own: Query = (sql, values = [], withinMs = STATEMENT_MS) =>
    this.#singles.submit([sql, values, withinMs, 'own'])

  /** On a connection of the pool, in the order of requests. */
  async #ask(...[sql, values, withinMs, kind]: Statement): Promise<readonly SqlRow[]> {
    if (this.#health.down !== undefined) throw this.#health.down
    const deadlineMs = this.clock.monotonic() + withinMs
    /** A statement that was not sent has changed nothing. */
    const sent: { on?: PoolClient | undefined } = {}
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

  /** Fails if `work` takes longer, and has a probe check the database. */
  #inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
    const suspicion = this.clock.after(SUSPECT_AFTER_MS, () => this.#health.suspect())
    const late = () => {
      throw new NoAnswer(noAnswerWithin(withinMs), work)
    }
    return within(this.clock, withinMs, work, late).finally(() => this.clock.cancel(suspicion))
  }

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

  /** For repeated work: reports failures, unless the database closes. */
  async attempt(trouble: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      this.#onAttempt?.(trouble)
    } catch (error) {
      if (!this.#closed) this.#onAttempt?.(trouble, error)
    }
  }

  async transaction<T>(begin: string, work: (query: Query) => Promise<T>, pool = this.#longPool): Promise<T> {
    using transaction = await this.begin(begin, pool)
    const result = await work(transaction.query)
    await transaction.commit()
    return result
  }

  act<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.transaction('BEGIN', work, this.#actPool)
  }

  /** A connection with an open transaction. Disposal rolls back unless it was committed. */
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

  readonly refusal = (why: string): StoreUnavailable => {
    const refusal = busy(why)
    this.#health.noteRefusal(refusal.reason)
    return refusal
  }

  /** Also closes connections whose abandoned statements have ended. */
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

  /** Lets statements in flight finish, within a time limit. */
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

/** Throws StoreUnavailable, with advice if no answer arrived. */
function failCommit(cause: unknown): never {
  const error = failure(cause, { wasWriting: true })
  if (!(error instanceof StoreUnavailable) || error.outcome !== 'unknown') throw error
  const why = `${error.reason} All of it may have been done, or nothing; look before you do it again.`
  throw new StoreUnavailable(why, { cause, isReported: true, outcome: 'unknown' })
}

function noAnswerWithin(ms: number): string {
  return `it gave no answer within ${Math.round(ms)} ms.`
}

function processId(client: ClientBase): number {
  return 'processID' in client ? Number(client.processID) : 0
}

async function run(on: ClientBase, sql: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
  const statement = {
    text: sql,
    rowMode: 'array' as const,
    // Without values, the simple protocol accepts several statements, as in a migration.
    ...(values.length > 0 && { values: [...values] }),
  }
  const { rows } = await on.query<Cell[]>(statement)
  return rows
}
