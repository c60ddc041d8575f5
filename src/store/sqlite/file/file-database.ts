/** A connection that runs one statement or transaction after another. A failure of the file replaces it. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Clock, sleep } from '../../../common/clock.ts'
import type { Columns, Database, Dialect, Sql, SqlRow, Value } from '../../sql.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { openConnection, rollBack } from './connection.ts'
import { assertDiskSpace } from './disk-space.ts'
import { failure, isBusy, isConstraint, RETRY_FAILED_S } from './errors.ts'
import { lockExclusively } from './file-lock.ts'
import { fileId } from './wal.ts'

const LAST_GIVEN_ID =
  "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))"

const DIALECT: Dialect = {
  forUpdate: '',
  forShare: '',
  lock: nothing,
  isIn: (expression, n) => `${expression} IN (SELECT value FROM json_each($${n}))`,
  inputTable(columns, rows, first = 1) {
    const cells = Object.keys(columns).map((name, n) => `value ->> ${n} AS ${name}`)
    return { from: `(SELECT ${cells}, key + 1 AS place FROM json_each($${first})) AS input`, values: [jsonOf(rows)] }
  },
  collateBinary: (expression) => expression,
  folded: (column, folded = 'folded') => `coalesce(${folded}, lower(${column}))`,
  countAll: 'SELECT status, n FROM pet_counts',
  keepsCounts: true,
  addToCounts: (sql, from, values) =>
    sql(
      `UPDATE pet_counts SET n = pet_counts.n + added.animals
       FROM (SELECT coalesce(status, 'none') AS kind, count(*) AS animals FROM ${from} GROUP BY 1) AS added
       WHERE pet_counts.status = added.kind`,
      values,
    ),
  async reserveIdsUpTo(sql, id) {
    const [[last] = []] = await sql(LAST_GIVEN_ID)
    if (id <= BigInt(last ?? 0)) return
    await sql("DELETE FROM sqlite_sequence WHERE name = 'pets'")
    await sql("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', $1)", [id])
  },
  assignIds: (table, condition) => `
    UPDATE ${table} SET pet_id = assigned.id
    FROM (
      SELECT place, (${LAST_GIVEN_ID}) + row_number() OVER (ORDER BY place) AS id FROM ${table} WHERE ${condition}
    ) AS assigned
    WHERE assigned.place = ${table}.place`,
  lastGivenId: LAST_GIVEN_ID,
  analyze: nothing,
  toJson: (column) => column,
  fromJson: (column) => column,
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  async columnsOf(sql, table) {
    const rows = await sql('SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid', [table])
    const columns = rows.map(([name, type]) => [String(name), type === 'TEXT' ? 'text' : 'bigint'] as const)
    const keyColumns = rows.filter(([, , pk]) => pk !== 0n).length
    return { columns: Object.fromEntries(columns) as Columns, keyColumns }
  },
  continueAfter: nothing,
}

async function nothing(): Promise<void> {}

const STAGED_BYTES = "SELECT page_count * page_size FROM pragma_page_count('temp'), pragma_page_size('temp')"

/** Beyond this number all statements are prepared again: searches have many texts. */
const STATEMENTS_KEPT = 500

const TRY_EVERY_MS = 1

const TIMEOUT_MS = { command: 10_000, service: 5_000 }
export interface FileDatabaseOptions {
  readonly path: string
  readonly clock: Clock
  /** The expected file at the path (wal.ts). Writes to another one would be lost. */
  readonly fileId: string | undefined
  readonly isServing: boolean
  readonly onCommit?: () => void
  /** Called before each statement. Throws StoreUnavailable if the work must end. */
  readonly assertGoing?: () => void
  /** Runs `scan` and `snapshot`, if not this connection. */
  readonly scanners?: Pick<Database, 'scan' | 'snapshot'> & { close(): Promise<void> }
  readonly cacheKib?: number
}

export class FileDatabase implements Database {
  readonly dialect = DIALECT
  readonly clock: Clock
  readonly #options: FileDatabaseOptions
  readonly #statements = new Map<string, StatementSync>()
  #connection: DatabaseSync | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: FileDatabaseOptions) {
    this.#options = options
    this.clock = options.clock
  }

  readonly read: Sql = (text, values) => this.#inTurn(() => this.#run(text, values))
  readonly scan: Sql = (text, values) => (this.#options.scanners?.scan ?? this.read)(text, values)

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.transact(() => work(this.#run))
  }

  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#options.scanners?.snapshot(work) ?? this.transact(() => work(this.#run), { begin: 'BEGIN' })
  }

  /** Filling tables does not block writers. Throws StoreUnusable if another runs or the disk has too little space. */
  async bulk<T>(tables: readonly string[], work: (sql: Sql, begin: () => Promise<void>) => Promise<T>): Promise<T> {
    const { path } = this.#options
    const busyMessage = `Another import or sync into ${path} is running; wait for its end and try again.`
    using _lock = lockExclusively(path, 'importing', busyMessage)
    const names = tables.map((table) => table.slice(0, table.indexOf(' ')))
    const drop = names.map((name) => `DROP TABLE IF EXISTS temp.${name}`)
    const end = Promise.withResolvers<void>()
    end.promise.catch(() => {}) // nobody waits for it where nothing has begun
    let transaction: Promise<void> | undefined
    const sql: Sql = (text, values) => (transaction === undefined ? this.read : this.#run)(text, values)
    const begin = async () => {
      const [[stagedBytes] = []] = await this.read(STAGED_BYTES)
      assertDiskSpace(path, Number(stagedBytes))
      await new Promise<void>((resolve, reject) => {
        transaction = this.transact(() => {
          resolve()
          return end.promise
        })
        transaction.catch(reject)
      })
    }
    try {
      for (const one of [...drop, ...tables.map((table) => `CREATE TEMP TABLE ${table}`)]) await this.read(one)
      const result = await work(sql, begin)
      end.resolve()
      await transaction
      return result
    } catch (error) {
      end.reject(error)
      await transaction // throws what the error means
      throw error
    } finally {
      for (const one of drop) await this.read(one).catch(() => {}) // a connection that was closed has none
    }
  }

  async analyzeIfLarge(): Promise<void> {}

  async close(): Promise<void> {
    await this.#options.scanners?.close()
    await this.#last
    this.#close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  /** Runs `work` in one transaction. Waits up to `timeoutMs` for another connection. */
  async transact<T>(
    work: (connection: DatabaseSync) => Promise<T>,
    { begin = 'BEGIN IMMEDIATE', timeoutMs }: { readonly begin?: string; readonly timeoutMs?: number } = {},
  ): Promise<T> {
    const { clock, isServing } = this.#options
    const untilMs = clock.monotonic() + (timeoutMs ?? TIMEOUT_MS[isServing ? 'service' : 'command'])
    for (;;) {
      const outcome = await this.#inTurn(async () => {
        try {
          const connection = this.#tryToBegin(begin, untilMs)
          if (connection === undefined) return undefined
          const result = await work(connection)
          this.#commit()
          return { result }
        } catch (error) {
          throw this.#fail(error)
        }
      })
      if (outcome !== undefined) return outcome.result
      await sleep(clock, TRY_EVERY_MS)
    }
  }

  /** Undefined while another connection writes, until that becomes an error. */
  #tryToBegin(begin: string, untilMs: number): DatabaseSync | undefined {
    this.#assertInPlace()
    try {
      const connection = this.#open()
      connection.exec(begin)
      return connection
    } catch (error) {
      if (!isBusy(error) || this.#options.clock.monotonic() >= untilMs) throw error
      return undefined
    }
  }

  #commit(): void {
    this.#assertInPlace()
    this.#connection?.exec('COMMIT')
    this.#options.onCommit?.()
  }

  #assertInPlace(): void {
    const { path, fileId: ownFileId, isServing } = this.#options
    if (fileId(path) === ownFileId) return
    const moved = `${path} was moved, removed or replaced`
    if (isServing) throw new StoreUnavailable(`${moved}; nothing was done.`, { retryAfterS: RETRY_FAILED_S })
    throw new StoreUnusable(
      `${moved} while this command was working on it; what was not done yet is left undone. See which file is the right one, and try again.`,
    )
  }

  #fail(error: unknown): unknown {
    rollBack(this.#connection)
    const reported = failure(error)
    const isOfFile =
      reported instanceof StoreUnavailable && !isBusy(error) && !isConstraint(error) && reported !== error
    if (isOfFile) this.#close()
    return reported
  }

  readonly #run: Sql = async (text, values = []) => {
    try {
      this.#options.assertGoing?.()
      const connection = this.#open()
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear()
      const prepare = () => connection.prepare(text.replace(/\$(\d+)/g, '?$1'))
      const statement = this.#statements.getOrInsertComputed(text, prepare)
      return statement.all(...values.map(toSqlite)) as unknown as readonly SqlRow[]
    } catch (error) {
      if (this.#connection?.isTransaction) throw error
      throw this.#fail(error)
    }
  }

  /** The database within an open transaction (`transact`). */
  readonly inside: Database = {
    dialect: DIALECT,
    clock: { now: () => this.clock.now() },
    read: this.#run,
    scan: this.#run,
    write: (work) => work(this.#run),
    snapshot: (work) => work(this.#run),
    bulk: () => Promise.reject(new Error('an import cannot run within a transaction')),
    analyzeIfLarge: this.analyzeIfLarge,
  }

  #open(): DatabaseSync {
    if (this.#connection !== undefined) return this.#connection
    this.#assertInPlace() // SQLite would make a file that is not there any more
    try {
      const { path, cacheKib } = this.#options
      this.#connection = openConnection(path, { busyTimeoutMs: 0, ...(cacheKib && { cacheKib }) })
    } catch (error) {
      if (!this.#options.isServing || !(error instanceof StoreUnusable)) throw error
      throw new StoreUnavailable(error.message, { cause: error, retryAfterS: RETRY_FAILED_S }) // it may be opened later
    }
    this.#connection.exec('PRAGMA case_sensitive_like = ON')
    return this.#connection
  }

  #close(): void {
    this.#statements.clear()
    try {
      this.#connection?.close()
    } catch {} // the failure has been reported
    this.#connection = undefined
  }
}

function toSqlite(value: Value): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'number') return BigInt(value)
  return Array.isArray(value) ? jsonOf([value])?.slice(1, -1) : (value as SQLInputValue)
}

/** An array of arrays. SQLite reads 64-bit integers exactly. */
function jsonOf(rows: readonly (readonly (string | bigint | null)[])[]): string {
  const cell = (value: string | bigint | null) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))
  return `[${rows.map((row) => `[${row.map(cell).join()}]`).join()}]`
}
