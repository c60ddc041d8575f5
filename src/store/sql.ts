/** SQL that SQLite and PostgreSQL both understand, and their differences. Everything except the hot path uses it. */
import type { Clock } from '../common/clock.ts'
import { fold, isPlain } from '../common/fold.ts'

/** A 64-bit integer is a bigint, a boolean is 1n or 0n. */
export type Cell = string | bigint | null
export type SqlRow = readonly Cell[]
/** `$1` is the first value. An array is one value (`Dialect.isIn`). */
export type Value = Cell | number | undefined | readonly Cell[]
export type Sql = (text: string, values?: readonly Value[]) => Promise<readonly SqlRow[]>

/** Rows to read from: a part of FROM named `input` with a column `place`, and its values. */
interface InputTable {
  readonly from: string
  readonly values: readonly Value[]
}

export type Columns = Readonly<Record<string, 'bigint' | 'text'>>

export interface Dialect {
  /** Follows a SELECT: locks its rows until the transaction ends. SQLite has one writer and needs none. */
  readonly forUpdate: 'FOR UPDATE' | ''
  /** The same, but only a deletion waits. */
  readonly forShare: 'FOR KEY SHARE' | ''
  lock(sql: Sql, table: string): Promise<unknown>
  /** Whether an expression is in the array `$n`. */
  isIn(expression: string, n: number): string
  /** Rows of these columns. Values are bound from `$first` on. */
  inputTable(columns: Columns, rows: readonly (readonly Cell[])[], first?: number): InputTable
  /** SQL for text that is ordered and compared by code points. */
  collateBinary(expression: string): string
  /** SQL for a column that is compared folded (`foldedOf`, in the column `folded`). */
  folded(column: string, folded?: string): string
  /** A query of the numbers of animals by status, and 'none'. Without `keepsCounts` it reads all animals. */
  readonly countAll: string
  readonly keepsCounts: boolean
  /** Adds the rows that a statement added to `pets` to the stored counts. */
  addToCounts(sql: Sql, from: string, values?: readonly Value[]): Promise<unknown>
  /** Ids assigned later are greater. */
  reserveIdsUpTo(sql: Sql, id: bigint): Promise<void>
  /** Assigns ids as `pet_id` to the rows of a temporary table that match `condition`, in the order of `place`. */
  assignIds(table: string, condition: string): string
  readonly lastGivenId: string
  analyze(sql: Sql, table: string): Promise<unknown>
  /** A column of several integers as a JSON array, and back. */
  toJson(column: string): string
  fromJson(column: string): string
  readonly tables: string
  /** The columns of a table in order, and the number of key columns. */
  columnsOf(sql: Sql, table: string): Promise<{ readonly columns: Columns; readonly keyColumns: number }>
  /** Numbers assigned later in the column `n` are greater than its present ones. */
  continueAfter(sql: Sql, table: string): Promise<unknown>
}

export interface Database {
  readonly dialect: Dialect
  readonly clock: Pick<Clock, 'now'>
  readonly read: Sql
  readonly scan: Sql
  /** One transaction, repeated after a deadlock. Only `sql` can be used within it. Throws StoreUnavailable. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Fills temporary tables and reads. After `begin`, changes are one transaction, one `bulk` at a time. */
  bulk<T>(tables: readonly string[], work: (sql: Sql, begin: () => Promise<void>) => Promise<T>): Promise<T>
  /** Tells the planner about many added rows. */
  analyzeIfLarge(tables: string, rows: number): Promise<void>
}

export abstract class Repository {
  protected readonly db: Database

  constructor(db: Database) {
    this.db = db
  }
}

export type Methods<T> = Pick<T, keyof T>

export function int(cell: Cell | undefined): number {
  return Number(cell)
}

export function big(cell: Cell | undefined): bigint {
  return BigInt(cell ?? 0)
}

export function text(cell: Cell | undefined): string {
  return String(cell ?? '')
}

function optional<T>(read: (cell: Cell) => T): (cell: Cell | undefined) => T | undefined {
  return (cell) => (cell === null || cell === undefined ? undefined : read(cell))
}

const READERS = {
  bigint: big,
  int,
  text,
  'bigint?': optional(big),
  'int?': optional(int),
  'text?': optional(text),
} as const
type Reader = keyof typeof READERS | ((cell: Cell | undefined) => unknown)
type Column = Reader | readonly [reader: Reader, expression: string]
type ReaderOf<C> = C extends readonly [infer R, string] ? R : C
type ValueOf<R> = R extends keyof typeof READERS
  ? ReturnType<(typeof READERS)[R]>
  : R extends (cell: Cell | undefined) => infer Value
    ? Value
    : never
type RowOf<C> = { readonly [Name in keyof C]: ValueOf<ReaderOf<C[Name]>> }

/** Describes columns: the reader of each member, and its expression if that is not the name in snake case. */
export function table<const C extends Readonly<Record<string, Column>>>(columns: C) {
  const all = Object.entries(columns).map(([name, column]) => {
    const [reader, expression] = typeof column === 'object' ? column : [column, snakeCase(name)]
    const type = typeof reader === 'string' && !reader.startsWith('text') ? ('bigint' as const) : ('text' as const)
    return { name, expression, type, read: typeof reader === 'string' ? READERS[reader] : reader }
  })
  const list = all.map(({ expression }) => expression).join(', ')
  /** More values can follow. */
  const row = (cells: SqlRow) => Object.fromEntries(all.map(({ name, read }, n) => [name, read(cells[n])])) as RowOf<C>
  return {
    columns: list,
    types: Object.fromEntries(all.map(({ expression, type }) => [expression, type])) as Columns,
    row,
    async select(sql: Sql, from: string, values: readonly Value[] = []): Promise<readonly RowOf<C>[]> {
      return (await sql(`SELECT ${list} ${from}`, values)).map(row)
    },
    async first(sql: Sql, from: string, values: readonly Value[] = []): Promise<RowOf<C> | undefined> {
      const [first] = await sql(`SELECT ${list} ${from}`, values)
      return first && row(first)
    },
    /** The object of a row that always exists. */
    async only(sql: Sql, from: string, values: readonly Value[] = []): Promise<RowOf<C>> {
      const [only = []] = await sql(`SELECT ${list} ${from}`, values)
      return row(only)
    },
    /** The values in the order of the columns. Objects become JSON. */
    cells: (values: { readonly [Name in keyof C]?: unknown }): Cell[] => all.map(({ name }) => toCell(values[name])),
  }
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`)
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'bigint') return value
  return typeof value === 'object' ? JSON.stringify(value) : BigInt(Number(value))
}

export async function numberOf(sql: Sql, statement: string, values: readonly Value[] = []): Promise<number> {
  const [row] = await sql(statement, values)
  return int(row?.[0])
}

export async function selectIds(sql: Sql, statement: string, values: readonly Value[] = []): Promise<bigint[]> {
  return (await sql(statement, values)).map(([id]) => big(id))
}

/**
 * Longer names are found by number only. A client can create a thousand names of 64 KiB, which every search would read;
 * U+FDFA becomes 18 characters when folded.
 */
export const SEARCHED_BYTES = 1_024

/** The form in which a text is compared; null if that is the text with its ASCII letters in lower case, as in most cases. */
export function foldedOf(text: string): string | null {
  return text.length > SEARCHED_BYTES || isPlain(text) ? null : fold(text)
}

export function literal(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
}

const LONGEST_INDEXED = 600

/** PostgreSQL's indexes hold at most 2,700 bytes. Few texts are longer, so most threads never load node:crypto. */
export function indexedOf(text: string): string {
  const folded = fold(text)
  return folded.length <= LONGEST_INDEXED ? folded : process.getBuiltinModule('node:crypto').hash('sha256', folded)
}

/** Locks the matching rows in the order of their ids, which avoids deadlocks. Resolves to their number. */
export async function lockRows(
  { dialect: { forUpdate } }: Database,
  sql: Sql,
  table: string,
  condition: string,
  values: readonly Value[] = [],
): Promise<number> {
  if (forUpdate === '') return 0
  const rows = `SELECT id FROM ${table} WHERE ${condition} ORDER BY id ${forUpdate}`
  return numberOf(sql, `SELECT count(*) FROM (${rows}) AS locked`, values)
}

/** The plus makes engines look up the animals of a range, and not the ranges before an animal. */
export const IN_RANGE = 'BETWEEN +first_id AND last_id'

/** A LIKE pattern with ESCAPE '\' for texts that contain this one. */
export function containing(part: string): string {
  return `%${part.replace(/[%_\\]/g, '\\$&')}%`
}
