/**
 * The index behind `find` in PostgreSQL: trigrams (pg_trgm) of folded names. The first search creates it without
 * blocking writes, so a service without searches pays nothing. If the extension cannot be installed, or the user may
 * not create the index, names are compared one by one.
 */

import type { FindQuery } from '../../records.ts'
import { fold, wordsOf } from '../../rules/fold.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Database } from '../connection/database.ts'
import { lacksPrivilege, sqlState } from '../connection/errors.ts'
import type { Query } from '../connection/query.ts'
import { type Fold, makeFold } from '../fold.ts'
import { bounds, conditionOf, NAMES_PER_STEP, ofKind, tableOf } from './conditions.ts'

/** Shorter texts have no trigram: their search compares names, from the newest on. */
const TRIGRAM = 3
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
  readonly database: Database
  /** Whether the index can be used, once that is known, and how names are compared. */
  #prepared: Promise<Prepared> | undefined
  #building: Promise<void> | undefined

  constructor(database: Database) {
    this.database = database
  }

  /** The ids found, newest first, and where to continue if the time was over. */
  async find(query: FindQuery): Promise<{ ids: readonly bigint[]; stoppedAt: bigint | undefined }> {
    const { text, isWhole = false, withinMs = Infinity } = query
    const words = isWhole ? [text] : wordsOf(text)
    const { clock } = this.database
    const untilMs = clock.monotonic() + withinMs
    if (words.length === 0) {
      // No index has the categories.
      if (query.categoryId !== undefined) return this.#scan(query, EVERY, untilMs)
      return { ids: await this.#page(query, EVERY), stoppedAt: undefined }
    }
    const prepared = await this.ready()
    if (!prepared.isIndexed && withinMs === Infinity) await this.#building
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

  /**
   * By the index of names; undefined if that takes longer. The order by an expression keeps the planner from walking
   * the ids: where it takes a text for common, as when a tenth of a million names have it and the newest have not, that
   * took over a second for 0.2 s by the index.
   */
  async #match(query: FindQuery, condition: Condition, withinMs: number): Promise<readonly bigint[] | undefined> {
    const page = (ask: Query) => this.#page(query, condition, { ask, by: 'id + 0' })
    if (withinMs === Infinity) return page(this.database.patientQuery)
    return this.within(withinMs, page)
  }

  /** Undefined if the time was over: without this a statement that nobody waits for any more would run on. */
  async within<T>(ms: number, work: (ask: Query) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.database.transaction('BEGIN READ ONLY', async (ask) => {
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
      // Without the category, of which there may be few: a step looks at so many animals, and not for so many.
      const { status, categoryId } = query
      const looked = ['true', ...bounds({ [isOlder ? 'before' : 'after']: at }, values)]
      const conditions = [...looked, ...ofKind({ status }, values)]
      const matching = [condition.sql, ...ofKind({ status: undefined, categoryId }, values)]
      const rows = await this.database.patientQuery(
        `WITH step AS (
           SELECT id, name, category_id FROM ${tableOf(query)} WHERE ${conditions.join(' AND ')}
           ORDER BY id ${isOlder ? 'DESC' : 'ASC'} LIMIT ${NAMES_PER_STEP}
         )
         SELECT id, true FROM step WHERE ${matching.join(' AND ')}
         UNION ALL SELECT ${isOlder ? 'min' : 'max'}(id), false FROM step HAVING count(*) = ${NAMES_PER_STEP}`,
        values,
      )
      const matches = rows.flatMap(([id, isMatch]) => (isMatch === 't' ? [BigInt(id ?? '')] : []))
      ids.push(...matches.sort((a, b) => ((isOlder ? a > b : a < b) ? -1 : 1)).slice(0, limit - ids.length))
      const last = rows.find(([, isMatch]) => isMatch === 'f')
      if (ids.length >= limit || last === undefined) return { ids: found(), stoppedAt: undefined }
      at = BigInt(last[0] ?? '')
      if (this.database.clock.monotonic() >= untilMs) return { ids: found(), stoppedAt: at }
    }
  }

  async #page(
    query: FindQuery,
    condition: Condition,
    { ask = this.database.query, by = 'id' }: { readonly ask?: Query; readonly by?: string } = {},
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

  ready(): Promise<Prepared> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** The index is built meanwhile, if it has to be. */
  async #prepare(): Promise<Prepared> {
    const fold = await makeFold(this.database)
    const [found] = await this.database.patientQuery(
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
      if (wasInterrupted) await this.database.patientQuery('DROP INDEX IF EXISTS pets_by_name')
      await this.database.patientQuery('CREATE EXTENSION IF NOT EXISTS pg_trgm')
      await this.database.patientQuery(
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS pets_by_name ON pets USING gin (pets_fold(name) gin_trgm_ops)',
      )
      return true
    } catch (error) {
      if (error instanceof StoreUnavailable && !lacksPrivilege(error)) throw error
      return false
    }
  }
}
