/** What a statement is given, and what comes back. */

/** The columns of a row in PostgreSQL's text format, so that an int64 keeps its digits. */
export type Row = readonly (string | null)[]
/** `withinMs`: the time limit of the answer, if it has one. */
export type Query = (sql: string, values?: readonly unknown[], withinMs?: number) => Promise<readonly Row[]>

/** The same, whose rows have other types than text (`Types`). */
export type TypedQuery = (sql: string, values?: readonly unknown[]) => Promise<readonly TypedRow[]>
export type TypedRow = readonly (string | bigint | null)[]
/** How the text of a column is read, by the number of its type. */
export type Types = { getTypeParser(oid: number): (text: string) => unknown }

/** What a migration needs of a database. */
export interface Migrated {
  /** For statements that may take long. */
  readonly longQuery: Query
  transaction<T>(begin: string, work: (query: Query) => Promise<T>): Promise<T>
}
