/**
 * The SQL that SQLite and PostgreSQL both understand, and the few places where they differ. Everything but the hot path
 * (lists, single animals, creates, the look-up of a key, counting) is written once in it: the files beside this one.
 */
import type { Clock } from '../common/clock.ts'
import { fold, isPlain } from '../common/fold.ts'

/** An integer of 64 bits is a bigint, a boolean is 1n or 0n. */
export type Cell = string | bigint | null
export type SqlRow = readonly Cell[]
/** `$1` is the first value. An array is one value (`Dialect.isIn`). */
export type Value = Cell | number | undefined | readonly Cell[]
export type Sql = (text: string, values?: readonly Value[]) => Promise<readonly SqlRow[]>

/** Rows to be read from, as a part of FROM with the name `input` and a column `place`, and the values that it binds. */
export interface InputTable {
  readonly from: string
  readonly values: readonly Value[]
}

export type Columns = Readonly<Record<string, 'bigint' | 'text'>>

export interface Dialect {
  /** Behind a SELECT: locks its rows until the transaction ends. SQLite has one writer, and needs none. */
  readonly forUpdate: 'FOR UPDATE' | ''
  /** The same, without those that somebody else has locked. */
  readonly skipLocked: 'FOR UPDATE SKIP LOCKED' | ''
  /** The same as `forUpdate`, and only a deletion waits for it. */
  readonly forShare: 'FOR KEY SHARE' | ''
  /** Makes those who change this table wait for each other, where they do not anyway. */
  lock(sql: Sql, table: string): Promise<unknown>
  /** Whether an expression is one of the array that is the value `$n`. */
  isIn(expression: string, n: number): string
  /** Rows of these columns; their values are bound from `$first` on. */
  inputTable(columns: Columns, rows: readonly (readonly Cell[])[], first?: number): InputTable
  /** An expression of SQL for text as it is ordered and compared everywhere: by code points. */
  collateBinary(expression: string): string
  /** A column as it is compared: folded (`foldedOf`, in the column `folded`), and by code points. */
  folded(column: string, folded?: string): string
  /** A query of the numbers of animals by status, and 'none'. Without `keepsCounts` it looks at all animals. */
  readonly countAll: string
  readonly keepsCounts: boolean
  /** Adds the rows that a statement has added to `pets` to the kept counts; `from` is its FROM and WHERE. */
  addToCounts(sql: Sql, from: string, values?: readonly Value[]): Promise<unknown>
  /** Ids given from now on are greater than this one. */
  reserveIdsUpTo(sql: Sql, id: bigint): Promise<void>
  /** Gives new ids as `pet_id` to the rows of a temporary table that match `condition`, in the order of `place`. */
  assignIds(table: string, condition: string): string
  /** A query of the greatest id that was ever given, 0 if none was. */
  readonly lastGivenId: string
  /** Tells the planner what a table holds that was filled just now. */
  analyze(sql: Sql, table: string): Promise<unknown>
  /** A column of several integers as the text of a JSON array, and the way back. */
  toJson(column: string): string
  fromJson(column: string): string
  /** A query of the names of all tables. */
  readonly tables: string
  /** The columns of a table, in its order, and how many of the first are its key. */
  columnsOf(sql: Sql, table: string): Promise<{ readonly columns: Columns; readonly keyColumns: number }>
  /** Numbers given from now on in the column `n` of a table are greater than those in it. */
  continueAfter(sql: Sql, table: string): Promise<unknown>
}

export interface Database {
  readonly dialect: Dialect
  readonly clock: Pick<Clock, 'now'>
  /** One statement that only reads, and is answered soon. Throws StoreUnavailable. */
  readonly read: Sql
  /** One statement that may read all there is. */
  readonly scan: Sql
  /**
   * Runs `work` in one transaction: all of it or nothing. Where the server asks for it, as after a deadlock, `work` is
   * run again. Within it nothing but `sql` may be asked. Throws StoreUnavailable.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Runs `work`, which only reads, so that all its statements see one instant. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs `work`, which fills temporary tables of these definitions and reads; behind `begin` it changes what all see,
   * in one transaction, and no other such work does so meanwhile.
   */
  bulk<T>(tables: readonly string[], work: (sql: Sql, begin: () => Promise<void>) => Promise<T>): Promise<T>
  /** Told that these tables have so many more rows: the planner is to know it where they are many. */
  analyzeIfLarge(tables: string, rows: number): Promise<void>
}

/** What operators do with one subject, whichever engine has the database. */
export abstract class Repository {
  protected readonly db: Database

  constructor(db: Database) {
    this.db = db
  }
}

/** The methods of a class, without what is private to it. */
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

/**
 * What a statement selects or writes: by name what reads each value, and its expression where that is not the name in
 * snake case. Makes the list of columns, an object of each row, and a row of each object.
 */
export function table<const C extends Readonly<Record<string, Column>>>(columns: C) {
  const all = Object.entries(columns).map(([name, column]) => {
    const [reader, expression] = typeof column === 'object' ? column : [column, snakeCase(name)]
    const type = typeof reader === 'string' && !reader.startsWith('text') ? ('bigint' as const) : ('text' as const)
    return { name, expression, type, read: typeof reader === 'string' ? READERS[reader] : reader }
  })
  const list = all.map(({ expression }) => expression).join(', ')
  /** The row may go on with other values. */
  const row = (cells: SqlRow) => Object.fromEntries(all.map(({ name, read }, n) => [name, read(cells[n])])) as RowOf<C>
  return {
    columns: list,
    types: Object.fromEntries(all.map(({ expression, type }) => [expression, type])) as Columns,
    row,
    /** The objects of the rows of `SELECT … from`. */
    async select(sql: Sql, from: string, values: readonly Value[] = []): Promise<readonly RowOf<C>[]> {
      return (await sql(`SELECT ${list} ${from}`, values)).map(row)
    },
    /** The object of the first of them. */
    async first(sql: Sql, from: string, values: readonly Value[] = []): Promise<RowOf<C> | undefined> {
      const [first] = await sql(`SELECT ${list} ${from}`, values)
      return first && row(first)
    },
    /** The object of the row of a statement that always has one. */
    async only(sql: Sql, from: string, values: readonly Value[] = []): Promise<RowOf<C>> {
      const [only = []] = await sql(`SELECT ${list} ${from}`, values)
      return row(only)
    },
    /** The values of an object in the order of the columns; what is neither text nor a number is JSON. */
    cells: (values: { readonly [Name in keyof C]?: unknown }): Cell[] => all.map(({ name }) => toCell(values[name])),
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`)
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'bigint') return value
  return typeof value === 'object' ? JSON.stringify(value) : BigInt(Number(value))
}

/** The number that a statement selects. */
export async function numberOf(sql: Sql, statement: string, values: readonly Value[] = []): Promise<number> {
  const [row] = await sql(statement, values)
  return int(row?.[0])
}

/** The ids, or other integers of 64 bits, that a statement selects. */
export async function selectIds(sql: Sql, statement: string, values: readonly Value[] = []): Promise<bigint[]> {
  return (await sql(statement, values)).map(([id]) => big(id))
}

/**
 * Longer names are found by number only, and are not folded. A client can create a thousand names of 64 KiB, which every
 * search would read, and U+FDFA becomes 18 characters when it is folded.
 */
export const SEARCHED_BYTES = 1_024

/** The form in which a text is compared; null if that is the text with its ASCII letters in lower case, as in most cases. */
export function foldedOf(text: string): string | null {
  return text.length > SEARCHED_BYTES || isPlain(text) ? null : fold(text)
}

/** A text as SQL has it, where it is a part of many statements. */
export function literal(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
}

const LONGEST_INDEXED = 600

/**
 * The same of a text by which rows are found: no index of PostgreSQL holds more than 2,700 bytes of one. So few are longer
 * that most threads never load node:crypto, which takes 0.5 MB of each.
 */
export function indexedOf(text: string): string {
  const folded = fold(text)
  return folded.length <= LONGEST_INDEXED ? folded : process.getBuiltinModule('node:crypto').hash('sha256', folded)
}

/**
 * Locks the rows that match `condition` in the order of their ids, as everybody does, so that none deadlock; resolves to
 * their number. Where there is one writer, nothing has to be locked.
 */
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

/**
 * That an id is in a range, of those of keys or of imports. By the plus no engine looks up the ranges that begin before
 * an animal, half of all of them, but the animals of a range.
 */
export const IN_RANGE = 'BETWEEN +first_id AND last_id'

/** A pattern of LIKE with ESCAPE '\' for texts that contain this one. */
export function containing(part: string): string {
  return `%${part.replace(/[%_\\]/g, '\\$&')}%`
}
