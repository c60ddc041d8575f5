/** Pages of what a search finds in other orders than newest first, and how many there are. */
import { PetStatus } from '../../../contract/schemas.ts'
import type { Choice, OrderedQuery, Tally, TallyQuery } from '../../records.ts'
import { wordsOf } from '../../rules/fold.ts'
import { BETWEEN_WORDS, MATCHES, soughtOf } from '../../rules/match-order.ts'
import { KEY_CHARACTERS, type Order, type Place } from '../../rules/name-order.ts'
import type { Query, Row } from '../connection/query.ts'
import type { Fold } from '../fold.ts'
import { bounds, chosen, escaped, NAMES_PER_STEP, tableOf } from './conditions.ts'
import type { PostgresSearch } from './search.ts'

/** The part of its time that a count of all takes before it is made in steps. */
const AT_ONCE = 2 / 3
const KINDS = [...PetStatus.enum, 'none', 'removed'] as const
/** In the place of a kind: with what a step goes on. */
const NEXT = 'next'

/** The keys of the animals of the page, in their order, by id; undefined if the time was over. */
export async function findInOrder(
  search: PostgresSearch,
  query: OrderedQuery,
): Promise<ReadonlyMap<bigint, string> | undefined> {
  const { order, limit, before, after, withinMs } = query
  const { fold } = await search.ready()
  const values: unknown[] = []
  const listed = keyed(query, { order, fold, values })
  const conditions = ['true']
  if (before !== undefined) conditions.push(isBeyond(before, '>', values))
  if (after !== undefined && after !== 'end') conditions.push(isBeyond(after, '<', values))
  const ways = after === undefined ? ['ASC', 'DESC'] : ['DESC', 'ASC']
  const rows = await search.within(withinMs, (ask) =>
    ask(
      `SELECT id, key FROM ${listed} WHERE ${conditions.join(' AND ')}
       ORDER BY key ${ways[0]}, id ${ways[1]} LIMIT $${values.push(limit)}`,
      values,
    ),
  )
  const keys = rows?.map(([id, key]) => [BigInt(id ?? ''), key ?? ''] as const)
  return keys && new Map(after === undefined ? keys : keys.toReversed())
}

/** All at once, or if that takes most of the time, as many of the newest as the rest of it suffices for. */
export async function tally(search: PostgresSearch, query: TallyQuery): Promise<Tally> {
  const { fold } = await search.ready()
  const { clock, patientQuery } = search.database
  const untilMs = clock.monotonic() + query.withinMs
  const all = await search.within(query.withinMs * AT_ONCE, (ask) => count(query, fold, ask))
  if (all !== undefined) return toTally(query, all, true)
  const rows: Row[] = []
  for (let before: string | undefined; ; ) {
    const step = await count(query, fold, patientQuery, { before })
    rows.push(...step)
    before = step.find(([kind]) => kind === NEXT)?.[1] ?? undefined
    if (before === undefined) return toTally(query, rows, true)
    if (clock.monotonic() >= untilMs) return toTally(query, rows, false)
  }
}

interface Keys {
  /** Undefined if no keys are needed. */
  readonly order: Order | undefined
  readonly fold: Fold
  readonly values: unknown[]
  readonly from?: string
}

/** The animals chosen, each with its kind and its key, which is made once. The words are the first value. */
function keyed(choice: Choice, { order, fold, values, from = tableOf(choice) }: Keys): string {
  const conditions = chosen(choice, fold, values)
  const key = { name: nameKey(fold), match: order === 'match' ? matchKey(choice.text, fold, values) : '' }
  const folded = order === 'match' ? `, LATERAL (SELECT ${fold('name')} AS folded OFFSET 0) AS compared` : ''
  const kind = choice.status === 'removed' ? "'removed'" : "coalesce(status, 'none')"
  return `(SELECT id, ${kind} AS kind, ${order === undefined ? 'NULL' : key[order]} AS key
    FROM ${from}${folded} WHERE ${conditions.join(' AND ')} OFFSET 0) AS keyed`
}

/** The same as `keyOf` in ../../rules/name-order.ts. */
function nameKey(fold: Fold): string {
  return `left(${fold(`left(name, ${KEY_CHARACTERS})`)}, ${KEY_CHARACTERS}) COLLATE "C"`
}

/** The same as `matchKey` in ../../rules/match-order.ts. */
function matchKey(text: string, fold: Fold, values: unknown[]): string {
  const [words, between] = [`$${values.push(wordsOf(text))}::text[]`, `$${values.push(BETWEEN_WORDS)}::text`]
  const sought = fold(`$${values.push(soughtOf(text))}::text`)
  const spaced = (sql: string) => `' ' || translate(${sql}, ${between}, repeat(' ', length(${between})))`
  const pattern = `'%' || ${escaped(spaced(fold('word')))} || '%'`
  return `(CASE WHEN folded = ${sought} THEN '${MATCHES.equal}'
    WHEN left(folded, length(${sought})) = ${sought} THEN '${MATCHES.begins}'
    WHEN ${spaced('folded')} LIKE ALL (ARRAY(SELECT ${pattern} FROM unnest(${words}) AS word)) THEN '${MATCHES.words}'
    ELSE '${MATCHES.within}' END) COLLATE "C"`
}

/** Whether an animal stands behind (`>`) or ahead of (`<`) the place. */
function isBeyond({ id, key }: Place, sign: '<' | '>', values: unknown[]): string {
  const byId = `id ${sign === '<' ? '>' : '<'} $${values.push(id)}::bigint`
  if (key === undefined) return byId
  const other = `$${values.push(key)}::text COLLATE "C"`
  return `(key ${sign} ${other} OR (key = ${other} AND ${byId}))`
}

/** By kind: how many, and how many ahead of the place. Of a step, also with which `before` it goes on. */
function count(
  { text, categoryId, status, place, order = 'name' }: TallyQuery,
  fold: Fold,
  ask: Query,
  step?: { readonly before: string | undefined },
): Promise<readonly Row[]> {
  const values: unknown[] = []
  const choice = { text, categoryId, status: status === 'removed' ? status : undefined }
  const from = step === undefined ? {} : { from: 'step' }
  const counted = keyed(choice, { order: place?.key === undefined ? undefined : order, fold, values, ...from })
  const ahead = place === undefined ? 'false' : isBeyond(place, '<', values)
  const counts = `SELECT kind, count(*), count(*) FILTER (WHERE ${ahead}) FROM ${counted} GROUP BY kind`
  if (step === undefined) return ask(counts, values)
  const looked = ['true', ...bounds({ before: step.before === undefined ? undefined : BigInt(step.before) }, values)]
  return ask(
    `WITH step AS (
       SELECT id, name, category_id, status FROM ${tableOf(choice)} WHERE ${looked.join(' AND ')}
       ORDER BY id DESC LIMIT ${NAMES_PER_STEP}
     )
     ${counts} UNION ALL SELECT '${NEXT}', min(id), NULL FROM step HAVING count(*) = ${NAMES_PER_STEP}`,
    values,
  )
}

function toTally({ status }: TallyQuery, rows: readonly Row[], isComplete: boolean): Tally {
  const counts = { available: 0, pending: 0, sold: 0, none: 0, removed: 0 }
  let ahead = 0
  for (const [kind, n, before] of rows) {
    const known = KINDS.find((one) => one === kind)
    if (known === undefined) continue
    counts[known] += Number(n)
    if (status === undefined || status === known) ahead += Number(before)
  }
  return { counts, ahead, isComplete }
}
