/**
 * One PostgreSQL database behind a bounded pool. Nothing here needs a session: every statement is unnamed and
 * parameterised, and no setting is sent at connection time, so a pooler in transaction mode may stand in between. Every
 * wait is bounded: for a connection, where only the request that waited too long is refused, and for the answer.
 * Neither is taken as proof that the database is down (./health.ts).
 */
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { type Clock, sleep } from '../../../common/clock.ts'
import { Semaphore } from '../../semaphore.ts'
import { type StoreEvents, StoreUnavailable, StoreUnusable } from '../../store.ts'
import { failure, isRetryable, isUnreachable, leavesConnectionUsable, NoAnswer, reason, TRIES } from './errors.ts'
import { Health } from './health.ts'
import { migrate } from './migrations.ts'
import type { Query, Row, TypedQuery, TypedRow, Types } from './query.ts'

const POOL_SIZE = 10
/** The office allows one import and one export at a time, so changes by people find a connection. */
const PATIENT_POOL_SIZE = 4
/** A request needs a key, a decision and animals, one after the other, and all of it should take less than 2 s. */
const STATEMENT_MS = 1_200
const CONNECT_MS = 1_000
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

interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly types: Types | undefined
}

export class Database {
  readonly clock: Clock
  readonly #config: ClientConfig
  #pool: Pool
  /** For work that may take long: imports, exports, counts, searches. */
  readonly #longPool: Pool
  readonly #connections: Semaphore
  readonly #health: Health
  #closed = false

  private constructor(url: string, { clock, events }: DatabaseOptions) {
    this.clock = clock
    this.#connections = new Semaphore(POOL_SIZE, clock)
    this.#config = {
      connectionString: url,
      fallback_application_name: 'pets',
      keepAlive: true,
      types: { getTypeParser: () => (text: string | Buffer) => text },
    }
    this.#pool = this.#openPool()
    this.#longPool = new Pool({
      ...this.#config,
      max: PATIENT_POOL_SIZE,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 1_000,
    }).on('error', ignore)
    this.#health = new Health({
      clock,
      probe: () => this.#probe(),
      // An older connection may be dead without its socket knowing.
      onDown: () => {
        this.#pool.end().catch(ignore)
        this.#pool = this.#openPool()
      },
      onTrouble: (trouble) => events?.onTrouble(trouble),
    })
  }

  /** Connects and migrates the tables. Throws StoreUnusable. */
  static async open(url: string, options: DatabaseOptions): Promise<Database> {
    if (!URL.canParse(url)) {
      throw new StoreUnusable('--database is not a valid address; write it as postgres://user:password@host:5432/name.')
    }
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

  #openPool(): Pool {
    // The pool drops an idle connection that breaks; the next request gets another one.
    return new Pool({
      ...this.#config,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 60_000,
    }).on('error', ignore)
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

  async #ask(
    sql: string,
    values: readonly unknown[],
    withinMs: number,
    writes: boolean,
    types?: Types,
  ): Promise<readonly Row[]> {
    if (this.#health.down !== undefined) throw this.#health.down
    const progress: Progress = { wasSent: false }
    try {
      const deadlineMs = this.clock.monotonic() + withinMs
      const work = this.#inTime(this.#onConnection({ sql, values, types }, deadlineMs, progress), withinMs)
      const rows = await this.#health.guard(work)
      this.#health.noteAnswer()
      return rows
    } catch (error) {
      // Found down while this statement was in flight: the meaning depends on how far it had come.
      const isDown = error instanceof StoreUnavailable && isUnreachable(error.cause)
      const told = failure(isDown ? error.cause : error, writes && progress.wasSent)
      if (isUnreachable(error)) this.#health.suspect(reason(error))
      else if (told instanceof StoreUnavailable && !isDown) this.#health.noteRefusal(told.reason)
      throw told
    }
  }

  /** Runs the statement on a connection of the pool, in the order of the requests for one. */
  async #onConnection(statement: Statement, deadlineMs: number, progress: Progress): Promise<readonly Row[]> {
    const release = await this.#connections.acquire(1, deadlineMs - this.clock.monotonic())
    if (release === undefined) throw busy('all connections were in use for too long')
    try {
      const client = await this.#pool.connect()
      // If the connection breaks, the statement on it fails with the reason.
      client.on('error', ignore)
      let failure: unknown
      try {
        return await this.#repeatedly(statement, deadlineMs, client, progress)
      } catch (error) {
        failure = error
        throw error
      } finally {
        client.off('error', ignore)
        client.release(failure !== undefined && !leavesConnectionUsable(failure))
      }
    } finally {
      release()
    }
  }

  async #repeatedly(
    { sql, values, types }: Statement,
    deadlineMs: number,
    client: PoolClient,
    progress: Progress,
  ): Promise<readonly Row[]> {
    for (let attempt = 1; ; attempt += 1) {
      const leftMs = Math.ceil(deadlineMs - this.clock.monotonic())
      if (leftMs <= 0) throw busy('a connection took too long to make')
      progress.wasSent = true
      try {
        return await run(client, sql, values, leftMs, types)
      } catch (error) {
        progress.wasSent = !isRetryable(error)
        if (progress.wasSent || attempt === TRIES) throw error
      }
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
  readonly longQuery: Query = (sql, values = []) => this.#askLong(sql, values)

  async #askLong(sql: string, values: readonly unknown[], types?: Types): Promise<readonly Row[]> {
    try {
      return await run(this.#longPool, sql, values, undefined, types)
    } catch (error) {
      throw failure(error)
    }
  }

  /** `query` and `longQuery`, with columns of these types. */
  readonly typed = (types: Types): { readonly query: TypedQuery; readonly longQuery: TypedQuery } => ({
    query: (sql, values = []) => this.#ask(sql, values, STATEMENT_MS, false, types) as Promise<readonly TypedRow[]>,
    longQuery: (sql, values = []) => this.#askLong(sql, values, types) as Promise<readonly TypedRow[]>,
  })

  /** Runs `work` between `begin` and COMMIT on one connection; if it fails, nothing of it was done. */
  async transaction<T>(begin: string, work: (query: Query) => Promise<T>, types?: Types): Promise<T> {
    const { query, commit, end } = await this.begin(begin, types)
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
  async begin(
    begin: string,
    types?: Types,
  ): Promise<{ query: Query; commit: () => Promise<void>; end: (error?: unknown) => void }> {
    let client: PoolClient
    try {
      client = await this.#longPool.connect()
    } catch (error) {
      throw failure(error)
    }
    // If the connection breaks while no statement runs on it, the next statement fails with the reason.
    client.on('error', ignore)
    const query: Query = (sql, values = []) =>
      run(client, sql, values, undefined, types).catch((error: unknown) => {
        throw failure(error)
      })
    const commit = () => commitOn(client)
    const end = (error?: unknown): void => {
      client.off('error', ignore)
      client.release(error !== undefined)
    }
    try {
      await query(begin)
    } catch (error) {
      end(error)
      throw error
    }
    return { query, commit, end }
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
  types?: Types,
): Promise<readonly Row[]> {
  const statement = {
    text: sql,
    rowMode: 'array' as const,
    // Without values the simple protocol is used, which accepts several statements at once: a migration is a list of
    // them.
    ...(values.length > 0 && { values: [...values] }),
    // The caller has given up: what it waited for must not keep the connection.
    ...(withinMs !== undefined && { query_timeout: withinMs + 50 }),
    ...(types !== undefined && { types }),
  }
  const { rows } = await on.query<(string | null)[]>(statement)
  return rows
}
