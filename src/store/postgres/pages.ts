/**
 * Reads the pages of any number of different lists in one statement, so that they share a round trip as equal ones do.
 * Of lists with the same status and beginning only the longest is read; the others begin with its rows. Lists of one
 * status that continue after a cursor are one part of the statement, and each list without a cursor is a part of its
 * own. The status is a value of a part, not a column in it, so that PostgreSQL finds a rare one by its index.
 */
import type { PetQuery } from '../store.ts'
import type { Query, Row } from './connection/query.ts'

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
  const longest = longestOf(queries)
  const pages = [...longest.values()].map((): Row[] => [])
  const { sql, values } = toStatement([...longest.values()], columns)
  for (const row of await ask(sql, values, withinMs)) pages[Number(row.at(-1))]?.push(row)
  return queries.map((query) => {
    const page = pages[longest.get(beginningOf(query))?.place ?? 0] ?? []
    return page.length > query.limit ? page.slice(0, query.limit + 1) : page
  })
}

function longestOf(queries: readonly PetQuery[]): ReadonlyMap<string, Asked> {
  const longest = new Map<string, Asked>()
  for (const query of queries) {
    const beginning = beginningOf(query)
    const known = longest.get(beginning)
    if (known === undefined) longest.set(beginning, { ...query, place: longest.size })
    else if (known.limit < query.limit) longest.set(beginning, { ...known, limit: query.limit })
  }
  return longest
}

function beginningOf({ status, before }: PetQuery): string {
  return `${status} ${before}`
}

/** The last column of each row is the number of its page. */
function toStatement(pages: readonly Asked[], columns: string): { sql: string; values: readonly unknown[] } {
  const values: unknown[] = []
  const alike = Map.groupBy(pages, ({ status, before }) => `${status} ${before === undefined}`)
  const parts = [...alike.values()].map((group) =>
    group[0]?.before === undefined ? newest(group, columns, values) : continued(group, columns, values),
  )
  const [only = ''] = parts
  if (parts.length === 1 && pages.length === 1) return { sql: only, values }
  return { sql: `SELECT * FROM (${parts.join(' UNION ALL ')}) AS pages ORDER BY place, id DESC`, values }
}

/** The page of one status without a cursor. */
function newest([page]: readonly Asked[], columns: string, values: unknown[]): string {
  if (page === undefined) return ''
  const where = page.status === undefined ? '' : `WHERE status = $${values.push(page.status)}`
  const rows = `$${values.push(page.limit + 1)}::bigint`
  return `(SELECT ${columns}, $${values.push(page.place)}::int AS place FROM pets ${where} ORDER BY id DESC LIMIT ${rows})`
}

/**
 * The pages of one status, each after its cursor. The planner knows the limit of the longest; a page ends at its own,
 * and no row beyond it is read.
 */
function continued(pages: readonly Asked[], columns: string, values: unknown[]): string {
  const status = pages[0]?.status
  const where = status === undefined ? '' : `status = $${values.push(status)} AND`
  const bounds = `$${values.push(pages.map(({ before }) => before))}::bigint[]`
  const rows = `$${values.push(pages.map(({ limit }) => limit + 1))}::bigint[]`
  const places = `$${values.push(pages.map(({ place }) => place))}::int[]`
  const most = `$${values.push(Math.max(...pages.map(({ limit }) => limit + 1)))}::bigint`
  return `
    SELECT page.*, place FROM unnest(${bounds}, ${rows}, ${places}) AS asked (bound, rows, place), LATERAL (
      SELECT * FROM (SELECT ${columns} FROM pets WHERE ${where} id < bound ORDER BY id DESC LIMIT ${most}) AS longest
      LIMIT rows
    ) AS page`
}
