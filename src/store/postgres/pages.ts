/**
 * Reads the pages of any number of different lists in one statement, so that they share a round trip as equal ones do.
 * Lists of one filter that continue after a cursor are one part of the statement, and each list without a cursor is a
 * part of its own, whose rows come in its order. What is filtered by is a value of a part, not a column in it, so that
 * PostgreSQL finds a rare one by its index.
 */
import { FILTER_NAMES, filterKey, type PetFilter } from '../../contract/pet-filter.ts'
import { int, type Row } from '../sql.ts'
import type { PetQuery } from '../store.ts'
import type { Query } from './connection/database.ts'

/** What follows WHERE, given the number of the value. */
const CONDITIONS: { readonly [Name in keyof PetFilter]-?: (n: number) => string } = {
  status: (n) => `status = $${n}`,
}

/** A page to be read, and its number in the statement. */
interface PageRequest extends PetQuery {
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
function toStatement(pages: readonly PageRequest[], columns: string): { sql: string; values: readonly unknown[] } {
  const values: unknown[] = []
  const begun = pages.filter(({ before }) => before === undefined)
  const further = Map.groupBy(
    pages.filter(({ before }) => before !== undefined),
    filterKey,
  )
  const parts = [
    ...begun.map((page) => newest(page, columns, values)),
    ...further.values().map((group) => continued(group, columns, values)),
  ]
  return { sql: parts.join(' UNION ALL '), values }
}

/** The conditions of a filter, and one that always holds. */
function whereOf(filter: PetFilter, values: unknown[]): string {
  const names = FILTER_NAMES.filter((name) => filter[name] !== undefined)
  return ['true', ...names.map((name) => CONDITIONS[name](values.push(filter[name])))].join(' AND ')
}

/** The page of one filter without a cursor. */
function newest(page: PageRequest, columns: string, values: unknown[]): string {
  const where = whereOf(page, values)
  const rows = `$${values.push(page.limit + 1)}::bigint`
  return `(SELECT ${columns}, $${values.push(page.place)}::text FROM pets WHERE ${where} ORDER BY pets.id DESC LIMIT ${rows})`
}

/**
 * The pages of one filter, each after its cursor. The planner knows the limit of the longest; a page ends at its own,
 * and no row beyond it is read.
 */
function continued(pages: readonly PageRequest[], columns: string, values: unknown[]): string {
  const [where] = pages.slice(0, 1).map((page) => whereOf(page, values))
  const bounds = `$${values.push(pages.map(({ before }) => before))}::bigint[]`
  const rows = `$${values.push(pages.map(({ limit }) => limit + 1))}::bigint[]`
  const places = `$${values.push(pages.map(({ place }) => place))}::int[]`
  const most = `$${values.push(Math.max(...pages.map(({ limit }) => limit + 1)))}::bigint`
  return `
    SELECT ${columns}, place::text FROM unnest(${bounds}, ${rows}, ${places}) AS asked (bound, rows, place), LATERAL (
      SELECT * FROM (SELECT * FROM pets WHERE ${where} AND id < bound ORDER BY id DESC LIMIT ${most}) AS longest
      LIMIT rows
    ) AS pets`
}
