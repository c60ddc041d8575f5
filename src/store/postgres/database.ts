/**
 * One PostgreSQL database behind a bounded pool. Nothing here needs a session of its own: every statement is an unnamed,
 * parameterised one, and no setting is sent at connection time, so a pooler in transaction mode may stand in between.
 * Every wait has an end. A database that is gone or frozen is noticed once; from then on requests fail at once, and one
 * probe finds out when it is back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { StoreUnavailable, StoreUnusable } from '../store.ts'
import { MIGRATIONS } from './migrations.ts'

/** A row's columns as PostgreSQL's own text, so that an int64 keeps its digits. */
export type Row = readonly (string | null)[]
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

const POOL_SIZE = 10
// Together less than the 2 s within which a request is answered whatever happens.
const CONNECT_TIMEOUT_MS = 500
const QUERY_TIMEOUT_MS = 1_000
const PROBE_EVERY_MS = 250
/** How long a service that starts together with its database waits for it. */
const START_PATIENCE_MS = 20_000
const CLOSE_PATIENCE_MS = 2_000
/** Tries for a statement that the engine asks to repeat (a deadlock, a serialisation failure): nothing of it was done. */
const TRIES = 4

export class Database {
  readonly #pool: Pool
  /** For work that may take long: imports, exports, counts. */
  readonly #patientPool: Pool
  #down: StoreUnavailable | undefined
  #probing: NodeJS.Timeout | undefined
  #closed = false

  private constructor(url: string) {
    const options = {
      connectionString: url,
      fallback_application_name: 'pets',
      keepAlive: true,
      types: { getTypeParser: () => (text: string | Buffer) => text },
    }
    this.#pool = new Pool({
      ...options,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
    })
    this.#patientPool = new Pool({ ...options, max: 2, connectionTimeoutMillis: 5_000, idleTimeoutMillis: 1_000 })
    // An idle connection that breaks is dropped by the pool; whoever asks next meets the reason.
    this.#pool.on('error', () => {})
    this.#patientPool.on('error', () => {})
  }

  /** Connects and brings the tables up to date, as one of any number of processes that do so. Throws StoreUnusable. */
  static async open(url: string, options: { patient: boolean }): Promise<Database> {
    if (!URL.canParse(url)) {
      throw new StoreUnusable('--database is not a valid address; write it as postgres://user:password@host:5432/name.')
    }
    const database = new Database(url)
    try {
      await database.#reach(options.patient ? START_PATIENCE_MS : 0)
      await database.#migrate()
      return database
    } catch (error) {
      await database.close()
      if (error instanceof StoreUnusable) throw error
      throw new StoreUnusable(`The database cannot be used: ${reason(error)}`)
    }
  }

  async #reach(patienceMs: number): Promise<void> {
    const deadlineMs = performance.now() + patienceMs
    for (;;) {
      try {
        const { rows } = await this.#patientPool.query({ text: 'SHOW server_encoding', rowMode: 'array' })
        const encoding = String(rows[0]?.[0])
        if (!/^UTF-?8$/i.test(encoding)) {
          throw new StoreUnusable(
            `The database's encoding is ${encoding}; create it with ENCODING 'UTF8' to hold every name.`,
          )
        }
        return
      } catch (error) {
        if (!isUnreachable(error) || performance.now() > deadlineMs) throw error
        await sleep(PROBE_EVERY_MS)
      }
    }
  }

  /** The row in pets_schema is the lock: others wait for it, and a process that dies lets it go. */
  async #migrate(): Promise<void> {
    if ((await this.#version()) === MIGRATIONS.length) return
    await this.#createVersionTable()
    await this.transaction('BEGIN', async (query) => {
      const [row] = await query('SELECT version FROM pets_schema FOR UPDATE')
      const version = Number(row?.[0])
      for (const migration of MIGRATIONS.slice(version)) await query(migration)
      if (version < MIGRATIONS.length) await query('UPDATE pets_schema SET version = $1', [MIGRATIONS.length])
    })
  }

  /** Undefined in a database that has never been ours. */
  async #version(): Promise<number | undefined> {
    const [found] = await this.patientQuery(
      "SELECT to_regclass('pets_schema') IS NOT NULL, to_regclass('pets') IS NOT NULL",
    )
    const [ours, pets] = found ?? []
    if (ours === 'f') {
      if (pets === 't') {
        throw new StoreUnusable(
          'The database holds a table `pets` of some other program; name another database with --database.',
        )
      }
      return undefined
    }
    const [row] = await this.patientQuery('SELECT version FROM pets_schema')
    const version = row === undefined ? undefined : Number(row[0])
    if (version !== undefined && version > MIGRATIONS.length) {
      throw new StoreUnusable(
        `The database was written by a newer version of this software (schema ${version}, this one knows ${MIGRATIONS.length}); update the software.`,
      )
    }
    return version
  }

  async #createVersionTable(): Promise<void> {
    try {
      await this.patientQuery(
        'CREATE TABLE IF NOT EXISTS pets_schema (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version int NOT NULL)',
      )
    } catch (error) {
      // Two processes that create one table at the same moment: the other one's is as good.
      const created = await this.patientQuery("SELECT to_regclass('pets_schema') IS NOT NULL")
      if (created[0]?.[0] !== 't') throw error
    }
    await this.patientQuery('INSERT INTO pets_schema (version) VALUES (0) ON CONFLICT DO NOTHING')
  }

  /** Throws StoreUnavailable, within 1.5 s at most. */
  readonly query: Query = async (sql, values = []) => {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#down !== undefined) throw this.#down
      try {
        return await run(this.#pool, sql, values)
      } catch (error) {
        if (wantsRepeating(error) && attempt < TRIES) continue
        throw this.#failure(error)
      }
    }
  }

  /** For a statement that may take long. */
  readonly patientQuery: Query = async (sql, values = []) => {
    try {
      return await run(this.#patientPool, sql, values)
    } catch (error) {
      throw failure(error)
    }
  }

  /** Runs `work` between `begin` and COMMIT on one connection; when it fails, nothing of it was done. */
  async transaction<T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> {
    const { query, end } = await this.begin(begin)
    try {
      const result = await work(query)
      await query('COMMIT')
      end()
      return result
    } catch (error) {
      end(error)
      throw error
    }
  }

  /** A connection with a transaction begun. `end` gives it back; with an error, closes it, which rolls back. */
  async begin(begin: string): Promise<{ query: Query; end: (error?: unknown) => void }> {
    let client: PoolClient
    try {
      client = await this.#patientPool.connect()
    } catch (error) {
      throw failure(error)
    }
    // A connection that breaks while no statement runs on it: the next statement says so.
    const ignore = (): void => {}
    client.on('error', ignore)
    const query: Query = async (sql, values = []) => {
      try {
        return await run(client, sql, values)
      } catch (error) {
        throw failure(error)
      }
    }
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
    return { query, end }
  }

  /** Throws StoreUnavailable when the database does not answer. */
  async ping(): Promise<void> {
    await this.query('SELECT 1')
  }

  #failure(error: unknown): unknown {
    const told = failure(error)
    if (isUnreachable(error) && told instanceof StoreUnavailable && this.#down === undefined && !this.#closed) {
      this.#down = told
      void this.#probe()
    }
    return told
  }

  async #probe(): Promise<void> {
    try {
      await run(this.#pool, 'SELECT 1', [])
      this.#down = undefined
    } catch (error) {
      if (!isUnreachable(error)) this.#down = undefined
      else if (!this.#closed) this.#probing = setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref()
    }
  }

  /** Lets statements finish that are under way, but not for ever: a frozen server would not let them. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#probing)
    const ended = Promise.all([this.#pool.end(), this.#patientPool.end()])
    await Promise.race([ended, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })])
  }
}

async function run(on: Pool | PoolClient, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
  // Without values the simple protocol is used, which takes several statements at once: a migration is a list of them.
  const { rows } =
    values.length === 0
      ? await on.query({ text: sql, rowMode: 'array' })
      : await on.query({ text: sql, values: [...values], rowMode: 'array' })
  return rows
}

/** The SQLSTATE of an answer from the engine; a failure to reach it has none. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined
}

/** Not there, not answering, shutting down or starting up; or a pooler that says so (class 08). */
function isUnreachable(error: unknown): boolean {
  const state = sqlState(error)
  return (
    error instanceof Error && !(error instanceof StoreUnusable) && (state === undefined || /^(?:08|57P0)/.test(state))
  )
}

function wantsRepeating(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40001' || state === '40P01'
}

/**
 * A failure of the engine as what it means for a request: resources, operator intervention, system errors and a server
 * that only reads (a failover has not finished) may pass. A fault of our own statements stays what it is.
 */
function failure(error: unknown): unknown {
  const state = sqlState(error)
  if (error instanceof StoreUnavailable || (!isUnreachable(error) && !/^(?:25006|28|40|53|55|57|58)/.test(state ?? '')))
    return error
  return new StoreUnavailable(reason(error), { cause: error })
}

function reason(error: unknown): string {
  const cause = error instanceof StoreUnavailable && error.cause !== undefined ? error.cause : error
  const text = cause instanceof AggregateError ? cause.errors.map(message).join('; ') : message(cause)
  switch (sqlState(cause)) {
    case '28P01':
    case '28000':
      return 'it refuses the user or the password; correct them in --database.'
    case '3D000':
      return `there is no such database (${text}); create it, or correct the name in --database.`
    case '42501':
      return `the user may not do this (${text}); let it create tables in its schema, or make it the owner of the database.`
    case '53300':
      return 'it has no connection left; allow more, or put a pooler before it.'
    case undefined:
      return `it cannot be reached (${text}).`
    default:
      return text
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
