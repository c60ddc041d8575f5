/**
 * One PostgreSQL database behind a bounded pool. Nothing here needs a session: every statement is unnamed and
 * parameterised, and no setting is sent at connection time, so a pooler in transaction mode may stand in between. Every
 * wait is bounded, for a connection and for the answer. Neither is taken as proof that the database is down
 * (./health.ts).
 */
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg'
import { type Clock, sleep } from '../../../common/clock.ts'
import type { Cell, Row } from '../../sql.ts'
import { type StoreEvents, StoreUnavailable, StoreUnusable } from '../../store.ts'
import { failure, isUnreachable, leavesConnectionUsable, NoAnswer, reason } from './errors.ts'
import { Health } from './health.ts'
import { migrate } from './migrations.ts'

/** A request needs a key, a decision and animals, one after the other, and all of it should take less than 2 s. */
const STATEMENT_MS = 1_200
const POOL = { max: 10, connectionTimeoutMillis: 1_000, idleTimeoutMillis: 60_000 }
/** The office allows one import and one export at a time, so changes by people find a connection. */
const LONG_POOL = { max: 4, connectionTimeoutMillis: 5_000, idleTimeoutMillis: 1_000 }
/** A statement without an answer for this long makes a probe check the database. */
const SUSPECT_AFTER_MS = 250
const PROBE_MS = 900
const START_RETRY_MS = 250
/** How long a service that starts together with its database waits for it, and how often it reports that. */
const START_PATIENCE_MS = 20_000
const START_WORD_EVERY_MS = 2_000
const CLOSE_PATIENCE_MS = 2_000

interface DatabaseOptions {
  /** Waits for a database that is still starting. */
  readonly patient: boolean
  readonly clock: Clock
  readonly events?: StoreEvents | undefined
  readonly onUpgrade?: ((sentence: string) => void) | undefined
}

/** How far a statement has come: a failure before it was sent has changed nothing. */
interface Progress {
  wasSent: boolean
}

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
export type Query = (sql: string, values?: readonly unknown[], withinMs?: number) => Promise<readonly Row[]>

export class Database {
  readonly clock: Clock
  readonly #config: ClientConfig
  #pool: Pool
  /** For work that may take long: imports, exports, counts, searches. */
  readonly #longPool: Pool
  readonly #health: Health
  #closed = false

  private constructor(url: string, { clock, events }: DatabaseOptions) {
    this.clock = clock
    this.#config = {
      connectionString: url,
      fallback_application_name: 'pets',
      keepAlive: true,
      types: TYPES,
    }
    this.#pool = this.#openPool(POOL)
    this.#longPool = this.#openPool(LONG_POOL)
    this.#health = new Health({
      clock,
      probe: () => this.#probe(),
      // An older connection may be dead without its socket knowing.
      onDown: () => {
        this.#pool.end().catch(ignore)
        this.#pool = this.#openPool(POOL)
      },
      onTrouble: (trouble) => events?.onTrouble(trouble),
    })
  }

  /** Connects and migrates the tables. Throws StoreUnusable. */
  static async open(url: string, options: DatabaseOptions): Promise<Database> {
    const database = new Database(url, options)
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

  /** It drops an idle connection that breaks. Where one breaks that is used, the next statement on it fails. */
  #openPool(options: PoolConfig): Pool {
    const pool = new Pool({ ...this.#config, ...options })
    return pool.on('error', ignore).on('connect', (client) => void client.on('error', ignore))
  }

  async #reach({ patient, events }: DatabaseOptions): Promise<void> {
    const deadlineMs = this.clock.monotonic() + (patient ? START_PATIENCE_MS : 0)
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
    const rows = await run(this.#longPool, 'SHOW server_encoding', [])
    const encoding = String(rows[0]?.[0])
    if (/^UTF-?8$/i.test(encoding)) return
    throw new StoreUnusable(
      `The database's encoding is ${encoding}; create it with ENCODING 'UTF8' to hold every name.`,
    )
  }

  /** For a statement that only reads. Throws StoreUnavailable, within 1.2 s unless another limit is given. */
  readonly query: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, false)

  /**
   * For a statement that writes: if it was sent and not answered, the StoreUnavailable says that it may have been done.
   */
  readonly change: Query = (sql, values = [], withinMs = STATEMENT_MS) => this.#ask(sql, values, withinMs, true)

  async #ask(sql: string, values: readonly unknown[], withinMs: number, writes: boolean): Promise<readonly Row[]> {
    if (this.#health.down !== undefined) throw this.#health.down
    const progress: Progress = { wasSent: false }
    try {
      const deadlineMs = this.clock.monotonic() + withinMs
      const rows = await this.#inTime(this.#onConnection(sql, values, deadlineMs, progress), withinMs)
      this.#health.noteAnswer()
      return rows
    } catch (error) {
      const told = failure(error, writes && progress.wasSent)
      if (isUnreachable(error)) this.#health.suspect(reason(error))
      else if (told instanceof StoreUnavailable) this.#health.noteRefusal(told.reason)
      throw told
    }
  }

  /** Runs the statement on a connection of the pool, in the order of the requests for one. */
  async #onConnection(
    sql: string,
    values: readonly unknown[],
    deadlineMs: number,
    progress: Progress,
  ): Promise<readonly Row[]> {
    const client = await this.#pool.connect()
    let isUsable = true
    try {
      const leftMs = Math.ceil(deadlineMs - this.clock.monotonic())
      if (leftMs <= 0) throw busy('a connection took too long to get')
      progress.wasSent = true
      return await run(client, sql, values, leftMs)
    } catch (error) {
      isUsable = leavesConnectionUsable(error)
      throw error
    } finally {
      client.release(!isUsable)
    }
  }

  /** Fails if `work` takes longer; after a while it lets a probe check whether the database answers at all. */
  #inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new NoAnswer(withinMs))
      let timer = this.clock.after(Math.min(withinMs, SUSPECT_AFTER_MS), () => {
        this.#health.suspect()
        // A process that was busy itself first reads what has arrived in the meantime.
        timer = this.clock.after(Math.max(0, withinMs - SUSPECT_AFTER_MS), () => setImmediate(fail))
      })
      work.then(resolve, reject).finally(() => this.clock.cancel(timer))
    })
  }

  /** For a statement that may take long. Throws StoreUnavailable. */
  readonly longQuery: Query = (sql, values = []) => run(this.#longPool, sql, values).catch(fail)

  /** Runs `work` between `begin` and COMMIT on one connection; if it fails, nothing of it was done. */
  async transaction<T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> {
    const { query, commit, end } = await this.begin(begin)
    try {
      const result = await work(query)
      await commit()
      end()
      return result
    } catch (error) {
      end(error)
      throw error
    }
  }

  /** A connection with a transaction begun. `end` returns it; with an error it closes it, which rolls back. */
  async begin(begin: string): Promise<{ query: Query; commit: () => Promise<void>; end: (error?: unknown) => void }> {
    const client = await this.#longPool.connect().catch(fail)
    const query: Query = (sql, values = []) => run(client, sql, values).catch(fail)
    const end = (error?: unknown): void => client.release(error !== undefined)
    try {
      await query(begin)
    } catch (error) {
      end(error)
      throw error
    }
    return { query, commit: () => commitOn(client), end }
  }

  /** Notes that requests are refused because they arrive faster than they are answered. */
  readonly noteBusy = (why: string): void => this.#health.noteRefusal(busy(why).reason)

  /** Throws StoreUnavailable if the database does not answer. */
  async ping(): Promise<void> {
    await this.query('SELECT 1')
  }

  async #probe(): Promise<void> {
    const client = new Client({ ...this.#config, connectionTimeoutMillis: 2 * PROBE_MS })
    client.on('error', ignore)
    const asked = client.connect().then(() => client.query('SELECT 1'))
    const late = Promise.withResolvers<never>()
    const patience = this.clock.after(PROBE_MS, () => late.reject(new NoAnswer(PROBE_MS))).unref()
    try {
      await Promise.race([asked, late.promise])
    } finally {
      this.clock.cancel(patience)
      asked.catch(ignore)
      client.end().catch(ignore)
    }
  }

  /** Lets statements in flight finish, but not forever: with a frozen server they would not. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#health.close()
    const ended = Promise.all([this.#pool.end(), this.#longPool.end()])
    const patience = new Promise<void>((resolve) => this.clock.after(CLOSE_PATIENCE_MS, resolve).unref())
    await Promise.race([ended, patience])
  }
}

function ignore(): void {}

function fail(error: unknown): never {
  throw failure(error)
}

function busy(why: string): StoreUnavailable {
  return new StoreUnavailable(`it is busy: ${why}.`, { known: true })
}

/** Throws StoreUnavailable, with advice for the person who ran the command if no answer came. */
async function commitOn(client: PoolClient): Promise<void> {
  try {
    await run(client, 'COMMIT', [])
  } catch (cause) {
    const error = failure(cause, true)
    if (!(error instanceof StoreUnavailable) || error.outcome !== 'unknown') throw error
    const why = `${error.reason} All of it may have been done, or nothing; look before you do it again.`
    throw new StoreUnavailable(why, { cause, known: true, outcome: 'unknown' })
  }
}

async function run(
  on: Pool | PoolClient,
  sql: string,
  values: readonly unknown[],
  withinMs?: number,
): Promise<readonly Row[]> {
  const statement = {
    text: sql,
    rowMode: 'array' as const,
    // Without values the simple protocol is used, which accepts several statements at once: a migration is a list of
    // them.
    ...(values.length > 0 && { values: [...values] }),
    // The caller has given up: what it waited for must not keep the connection.
    ...(withinMs !== undefined && { query_timeout: withinMs + 50 }),
  }
  const { rows } = await on.query<Cell[]>(statement)
  return rows
}
