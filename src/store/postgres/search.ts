/**
 * The index behind `find` in PostgreSQL: trigrams (pg_trgm) of folded names. The first search creates it without
 * blocking writes, so a service without searches pays nothing. If the extension cannot be installed, or the user may
 * not create the index, names are compared one by one.
 */

import type { Choice, FindQuery, NamesQuery, Tally, TallyQuery } from '../records.ts'
import { fold, wordsOf } from '../rules/fold.ts'
import { KEY_CHARACTERS, type Place } from '../rules/name-order.ts'
import { StoreUnavailable } from '../store.ts'
import type { Database } from './connection/database.ts'
import { lacksPrivilege, sqlState } from './connection/errors.ts'
import type { Query } from './connection/query.ts'
import { type Fold, makeFold } from './fold.ts'

/** Shorter texts have no trigram: their search compares names, from the newest on. */
const TRIGRAM = 3
/** Names that one statement compares, which takes about 50 ms. */
const NAMES_PER_STEP = 5_000
/** The index is queried for this many of the words, the longest; names found are compared with all of them. */
const WORDS_ASKED = 3
/** SQLSTATE of a statement that ran into its timeout. */
const CANCELED = '57014'

/** Of names, with its values. */
interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

const EVERY: Condition = { sql: 'true', values: [] }

interface Prepared {
  isIndexed: boolean
  readonly fold: Fold
}

export class PostgresSearch {
  readonly #database: Database
  /** Whether the index can be used, once that is known, and how names are compared. */
  #prepared: Promise<Prepared> | undefined
  #building: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The ids found, newest first, and where to continue if the time was over. */
  async find(query: FindQuery): Promise<{ ids: readonly bigint[]; stoppedAt: bigint | undefined }> {
    const { text, isWhole = false, withinMs = Infinity } = query
    const words = isWhole ? [text] : wordsOf(text)
    if (words.length === 0) return { ids: await this.#page(query, EVERY), stoppedAt: undefined }
    const prepared = await this.#ready()
    if (!prepared.isIndexed && withinMs === Infinity) await this.#building
    const { clock } = this.#database
    const untilMs = clock.monotonic() + withinMs
    const condition = { sql: conditionOf(words, isWhole, prepared.fold), values: [words] }
    const isIndexed = prepared.isIndexed && query.status !== 'removed'
    if (!isIndexed || words.every((word) => [...fold(word)].length < TRIGRAM))
      return this.#scan(query, condition, untilMs)
    // A common text is found among the next names, without sorting all its matches in the index.
    const near = await this.#scan(query, condition, clock.monotonic())
    const { stoppedAt } = near
    if (stoppedAt === undefined) return near
    const isOlder = query.after === undefined
    const rest = { ...query, limit: query.limit - near.ids.length, [isOlder ? 'before' : 'after']: stoppedAt }
    // The index may return too many. Half of the time is left to compare names.
    const ids = await this.#match(rest, condition, withinMs / 2)
    const far = ids === undefined ? await this.#scan(rest, condition, untilMs) : { ids, stoppedAt: undefined }
    return { ids: isOlder ? [...near.ids, ...far.ids] : [...far.ids, ...near.ids], stoppedAt: far.stoppedAt }
  }

  /** The keys of the animals of the page, in their order, by id; undefined if the time was over. */
  async findByName(query: NamesQuery): Promise<ReadonlyMap<bigint, string> | undefined> {
    const { limit, before, after, withinMs } = query
    const { fold } = await this.#ready()
    const values: unknown[] = []
    const conditions = chosen(query, fold, values)
    if (before !== undefined) conditions.push(isBeyond(before, '>', fold, values))
    if (after !== undefined && after !== 'end') conditions.push(isBeyond(after, '<', fold, values))
    const order = after === undefined ? ['ASC', 'DESC'] : ['DESC', 'ASC']
    const rows = await this.#within(withinMs, (ask) =>
      ask(
        `SELECT id, ${keyOf(fold)} AS key FROM ${tableOf(query)} WHERE ${conditions.join(' AND ')}
         ORDER BY key ${order[0]}, id ${order[1]} LIMIT $${values.push(limit)}`,
        values,
      ),
    )
    const keys = rows?.map(([id, key]) => [BigInt(id ?? ''), key ?? ''] as const)
    return keys && new Map(after === undefined ? keys : keys.toReversed())
  }

  async tally(query: TallyQuery): Promise<Tally> {
    const { text, categoryId, status, place, withinMs } = query
    const { fold } = await this.#ready()
    const values: unknown[] = []
    const isRemoved = status === 'removed'
    const conditions = chosen({ text, categoryId, status: isRemoved ? status : undefined }, fold, values)
    const ahead = place === undefined ? 'false' : isBeyond(place, '<', fold, values)
    const kind = isRemoved ? "'removed'" : "coalesce(status, 'none')"
    const rows = await this.#within(withinMs, (ask) =>
      ask(
        `SELECT ${kind} AS kind, count(*), count(*) FILTER (WHERE ${ahead}) FROM ${tableOf(query)}
         WHERE ${conditions.join(' AND ')} GROUP BY kind`,
        values,
      ),
    )
    const counted = new Map(rows?.map(([of, n, before]) => [of, { n: Number(n), before: Number(before) }]))
    const n = (of: string) => counted.get(of)?.n ?? 0
    const of = status === undefined ? [...counted.values()] : [counted.get(status)]
    return {
      counts: {
        available: n('available'),
        pending: n('pending'),
        sold: n('sold'),
        none: n('none'),
        removed: n('removed'),
      },
      ahead: of.reduce((sum, one) => sum + (one?.before ?? 0), 0),
      isComplete: rows !== undefined,
    }
  }

  /**
   * By the index of names; undefined if that takes longer. The order by an expression keeps the planner from walking
   * the ids: where it takes a text for common, as when a tenth of a million names have it and the newest have not, that
   * took over a second for 0.2 s by the index.
   */
  async #match(query: FindQuery, condition: Condition, withinMs: number): Promise<readonly bigint[] | undefined> {
    const page = (ask: Query) => this.#page(query, condition, { ask, by: 'id + 0' })
    if (withinMs === Infinity) return page(this.#database.patientQuery)
    return this.#within(withinMs, page)
  }

  /** Undefined if the time was over: without this a statement that nobody waits for any more would run on. */
  async #within<T>(ms: number, work: (ask: Query) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#database.transaction('BEGIN READ ONLY', async (ask) => {
        await ask(`SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(ms))}`)
        return work(ask)
      })
    } catch (error) {
      if (error instanceof StoreUnavailable && sqlState(error.cause) === CANCELED) return undefined
      throw error
    }
  }

  /** Compares name by name. */
  async #scan(
    query: FindQuery,
    condition: Condition,
    untilMs: number,
  ): Promise<{ ids: readonly bigint[]; stoppedAt: bigint | undefined }> {
    const { limit, before, after } = query
    const isOlder = after === undefined
    const ids: bigint[] = []
    const found = () => (isOlder ? ids : ids.toReversed())
    for (let at: bigint | undefined = isOlder ? before : after === 'end' ? undefined : after; ; ) {
      const values = [...condition.values]
      const conditions = ['true', ...bounds({ [isOlder ? 'before' : 'after']: at }, values), ...ofKind(query, values)]
      const rows = await this.#database.patientQuery(
        `WITH step AS (
           SELECT id, name FROM ${tableOf(query)} WHERE ${conditions.join(' AND ')}
           ORDER BY id ${isOlder ? 'DESC' : 'ASC'} LIMIT ${NAMES_PER_STEP}
         )
         SELECT id, true FROM step WHERE ${condition.sql}
         UNION ALL SELECT ${isOlder ? 'min' : 'max'}(id), false FROM step HAVING count(*) = ${NAMES_PER_STEP}`,
        values,
      )
      const matches = rows.flatMap(([id, isMatch]) => (isMatch === 't' ? [BigInt(id ?? '')] : []))
      ids.push(...matches.sort((a, b) => ((isOlder ? a > b : a < b) ? -1 : 1)).slice(0, limit - ids.length))
      const last = rows.find(([, isMatch]) => isMatch === 'f')
      if (ids.length >= limit || last === undefined) return { ids: found(), stoppedAt: undefined }
      at = BigInt(last[0] ?? '')
      if (this.#database.clock.monotonic() >= untilMs) return { ids: found(), stoppedAt: at }
    }
  }

  async #page(
    query: FindQuery,
    condition: Condition,
    { ask = this.#database.query, by = 'id' }: { readonly ask?: Query; readonly by?: string } = {},
  ): Promise<readonly bigint[]> {
    const { limit, before, after } = query
    const values = [...condition.values]
    const conditions = [condition.sql, ...bounds({ before, after }, values), ...ofKind(query, values)]
    const rows = await ask(
      `SELECT id FROM ${tableOf(query)} WHERE ${conditions.join(' AND ')}
       ORDER BY ${by} ${after === undefined ? 'DESC' : 'ASC'} LIMIT $${values.push(limit)}`,
      values,
    )
    const ids = rows.map(([id]) => BigInt(id ?? ''))
    return after === undefined ? ids : ids.toReversed()
  }

  #ready(): Promise<Prepared> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** The index is built meanwhile, if it has to be. */
  async #prepare(): Promise<Prepared> {
    const fold = await makeFold(this.#database)
    const [found] = await this.#database.patientQuery(
      "SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('pets_by_name'))",
    )
    const indexed = found?.[0]
    const prepared = { isIndexed: indexed === 't', fold }
    if (!prepared.isIndexed) {
      this.#building = this.#build(indexed === 'f').then((isIndexed) => {
        prepared.isIndexed = isIndexed
      })
      this.#building.catch(() => {
        this.#prepared = undefined // the next search tries again
      })
    }
    return prepared
  }

  /** False if the server does not have the extension, or the user may not create the index. */
  async #build(wasInterrupted: boolean): Promise<boolean> {
    try {
      if (wasInterrupted) await this.#database.patientQuery('DROP INDEX IF EXISTS pets_by_name')
      await this.#database.patientQuery('CREATE EXTENSION IF NOT EXISTS pg_trgm')
      await this.#database.patientQuery(
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS pets_by_name ON pets USING gin (pets_fold(name) gin_trgm_ops)',
      )
      return true
    } catch (error) {
      if (error instanceof StoreUnavailable && !lacksPrivilege(error)) throw error
      return false
    }
  }
}

/** The words are the first value, an array. A whole name also contains itself, which the index of trigrams can use. */
function conditionOf(words: readonly string[], isWhole: boolean, fold: Fold): string {
  const name = fold('name')
  const pattern = (word: string) => `'%' || regexp_replace(${fold(word)}, '([%_\\\\])', '\\\\\\1', 'g') || '%'`
  const each = words.slice(0, WORDS_ASKED).map((_, n) => `${name} LIKE ${pattern(`($1::text[])[${n + 1}]`)}`)
  if (isWhole) return `${each} AND ${name} = ${fold('($1::text[])[1]')}`
  const all = `${name} LIKE ALL (ARRAY(SELECT ${pattern('word')} FROM unnest($1::text[]) AS word))`
  return [...each, ...(words.length > WORDS_ASKED ? [all] : [])].join(' AND ')
}

function bounds({ before, after }: Pick<FindQuery, 'before' | 'after'>, values: unknown[]): string[] {
  return [
    ...(before === undefined ? [] : [`id < $${values.push(before)}::bigint`]),
    ...(after === undefined || after === 'end' ? [] : [`id > $${values.push(after)}::bigint`]),
  ]
}

function ofKind({ status, categoryId }: Choice, values: unknown[]): string[] {
  return [
    ...(status === undefined || status === 'removed'
      ? []
      : [status === 'none' ? 'status IS NULL' : `status = $${values.push(status)}`]),
    ...(categoryId === undefined ? [] : [`category_id = $${values.push(categoryId)}::bigint`]),
  ]
}

function tableOf({ status }: Pick<Choice, 'status'>): string {
  return status === 'removed' ? 'removed_pets' : 'pets'
}

/** Conditions of the words, status and category; the words are the first value. */
function chosen(choice: Choice, fold: Fold, values: unknown[]): string[] {
  const words = wordsOf(choice.text)
  const ofWords = words.length === 0 ? [] : [conditionOf(words, false, fold)]
  if (words.length > 0) values.push(words)
  return ['true', ...ofWords, ...ofKind(choice, values)]
}

/** The same as `keyOf` in ../rules/name-order.ts. */
function keyOf(fold: Fold): string {
  return `left(${fold(`left(name, ${KEY_CHARACTERS})`)}, ${KEY_CHARACTERS}) COLLATE "C"`
}

/** Whether an animal stands behind (`>`) or ahead of (`<`) the place. */
function isBeyond({ id, key }: Place, sign: '<' | '>', fold: Fold, values: unknown[]): string {
  const byId = `id ${sign === '<' ? '>' : '<'} $${values.push(id)}::bigint`
  if (key === undefined) return byId
  const [own, other] = [keyOf(fold), `$${values.push(key)}::text COLLATE "C"`]
  return `(${own} ${sign} ${other} OR (${own} = ${other} AND ${byId}))`
}
