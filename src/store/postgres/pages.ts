/**
 * Reads the pages of any number of different lists in one statement, so that they share a round trip as equal ones do.
 * Lists of one status that continue after a cursor are one part of the statement, and each list without a cursor is a
 * part of its own, whose rows come in its order. The status is a value of a part, not a column in it, so that
 * PostgreSQL finds a rare one by its index.
 */
import { int, type Row } from '../sql.ts'
import type { PetQuery } from '../store.ts'
import type { Query } from './connection/database.ts'

/** A page to be read, and its number in the statement. */
interface Asked extends PetQuery {
  readonly place: number
}

/** For each of `queries` its rows, one more than requested, to know whether more animals follow. */
export async function readPages(
  ask: Query,
  queries: readonly PetQuery[],
  columns: string,
  withinMs: number,
): Promise<readonly (readonly Row[])[]> {
  const pages = queries.map((): Row[] => [])
  const { sql, values } = toStatement(
    queries.map((query, place) => ({ ...query, place })),
    columns,
  )
  for (const row of await ask(sql, values, withinMs)) pages[int(row.at(-1))]?.push(row)
  return pages
}

/** The last column of each row is the number of its page. */
function toStatement(pages: readonly Asked[], columns: string): { sql: string; values: readonly unknown[] } {
  const values: unknown[] = []
  const begun = pages.filter(({ before }) => before === undefined)
  const further = Map.groupBy(
    pages.filter(({ before }) => before !== undefined),
    ({ status }) => status,
  )
  const parts = [
    ...begun.map((page) => newest(page, columns, values)),
    ...further.entries().map(([status, group]) => continued(status, group, columns, values)),
  ]
  return { sql: parts.join(' UNION ALL '), values }
}

/** The page of one status without a cursor. */
function newest(page: Asked, columns: string, values: unknown[]): string {
  const where = page.status === undefined ? '' : `WHERE status = $${values.push(page.status)}`
  const rows = `$${values.push(page.limit + 1)}::bigint`
  return `(SELECT ${columns}, $${values.push(page.place)}::text FROM pets ${where} ORDER BY pets.id DESC LIMIT ${rows})`
}

/**
 * The pages of one status, each after its cursor. The planner knows the limit of the longest; a page ends at its own,
 * and no row beyond it is read.
 */
function continued(status: PetQuery['status'], pages: readonly Asked[], columns: string, values: unknown[]): string {
  const where = status === undefined ? '' : `status = $${values.push(status)} AND`
  const bounds = `$${values.push(pages.map(({ before }) => before))}::bigint[]`
  const rows = `$${values.push(pages.map(({ limit }) => limit + 1))}::bigint[]`
  const places = `$${values.push(pages.map(({ place }) => place))}::int[]`
  const most = `$${values.push(Math.max(...pages.map(({ limit }) => limit + 1)))}::bigint`
  return `
    SELECT ${columns}, place::text FROM unnest(${bounds}, ${rows}, ${places}) AS asked (bound, rows, place), LATERAL (
      SELECT * FROM (SELECT * FROM pets WHERE ${where} id < bound ORDER BY id DESC LIMIT ${most}) AS longest
      LIMIT rows
    ) AS pets`
}
