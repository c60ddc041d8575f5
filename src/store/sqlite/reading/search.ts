/**
 * Visits animals by parts of their names, or all of them, one after the other. The index of writing/search-index.ts
 * narrows the names down, and every name that it gives is compared; names that it does not hold yet are compared one by
 * one, from the newest on. An index that is found to be damaged is replaced, and the search goes on without it. The
 * service's event loop runs this, so a search goes in steps of a few ms, and other requests are answered between them.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { INT64_MAX, INT64_MIN } from '../../../contract/int64.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import type { Choice, FindQuery } from '../../records.ts'
import { fold, hasWords, wordsOf } from '../../rules/fold.ts'
import { StoreUnavailable } from '../../store.ts'
import { isOfIndex } from '../file/failure.ts'
import type { Statement } from '../file/statement.ts'
import { HIDDEN_RANGES, IS_THERE } from '../rows/pets.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'
import { beyond, type Range, visible, type Way } from './ranges.ts'

/** A step ends after this time. */
const STEP_MS = 6
/**
 * A query of the index takes some ms however little is asked for, so it is queried seldom: first for this many
 * candidates, then for eight times as many.
 */
const FIRST_CANDIDATES = 200
const MOST_CANDIDATES = 100_000
/**
 * With at most this many animals of a status their names are compared one by one; the index would return many of other
 * statuses.
 */
const FEW = 20_000
/** FTS5 has no shorter trigrams; shorter texts are searched in the table. */
const TRIGRAM = 3
/**
 * The index is queried for this many of the words, the longest, and this many first characters of each; names found are
 * compared with all of them.
 */
const WORDS_ASKED = 8
const ASKED = 64
/** The number of the newest names looked up when a process first uses the index. */
const SAMPLED = 3

type Kind = PetStatus | 'none' | 'removed'
type Filter = Kind | 'any'

/** An animal that a search has found. */
interface Found {
  readonly id: bigint
  readonly name: string
  readonly status: Kind
}

interface Step {
  readonly found: readonly Found[]
  /** The next id to look at; undefined if there is none in this direction. */
  readonly next: bigint | undefined
}

interface Course {
  /** The first id to look at; undefined if there is none. */
  readonly from: bigint | undefined
  readonly withinMs: number
  /** How many more animals. */
  readonly wanted?: () => number
  readonly onIndexed?: ((names: number) => void) | undefined
}

interface Search {
  readonly way: Way
  readonly filter: Filter
  /** Undefined if the table is searched and not the index. */
  phrase: string | undefined
  readonly matches: (name: string, categoryId: bigint) => boolean
  candidates: Candidates | undefined
  /** How many candidates to query next. */
  wanted: number
}

/** What the index has given: all there were up to `end`, though it may have grown since. */
interface Candidates {
  /** Those not compared yet, the next one last. */
  readonly ids: bigint[]
  readonly end: bigint
}

const SOURCES: Readonly<Record<Filter, string>> = {
  any: 'pets WHERE true',
  none: 'pets INDEXED BY pets_without_status WHERE status IS NULL',
  available: "pets INDEXED BY pets_available WHERE status = 'available'",
  pending: "pets INDEXED BY pets_pending WHERE status = 'pending'",
  sold: "pets INDEXED BY pets_sold WHERE status = 'sold'",
  removed: 'removed_pets WHERE true',
}
const FILTERS: readonly Filter[] = [...PetStatus.enum, 'none', 'any', 'removed']

export class SqliteSearch {
  readonly #database: Database
  readonly #writer: Writer
  readonly #sql
  #indexing: Promise<void> | undefined
  /** Whether the index was checked on some names, once per process. */
  #isLookedAt = false
  #isClosed = false

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    const inOrder = (way: Way) => ({
      scan: Object.fromEntries(FILTERS.map((filter) => [filter, scanStatement(database, filter, way)])) as Readonly<
        Record<Filter, Statement>
      >,
      // Prepared on use, as all are: a damaged index must not keep a service from starting.
      matches: database.prepare(`
        SELECT id FROM (
          SELECT rowid AS id FROM pet_names WHERE pet_names MATCH ?1 AND rowid BETWEEN ?2 AND ?3
          ORDER BY rowid ${orderOf(way)} LIMIT ?4 + 0)
        UNION SELECT id FROM (
          SELECT pet_id AS id FROM changed_names WHERE pet_id BETWEEN ?2 AND ?3
          ORDER BY pet_id ${orderOf(way)} LIMIT ?4 + 0)
        ORDER BY id ${orderOf(way)} LIMIT ?4 + 0`),
    })
    this.#sql = {
      older: inOrder('older'),
      newer: inOrder('newer'),
      indexedTo: database.prepare('SELECT indexed_to FROM pet_search'),
      unfinished: database.prepare(HIDDEN_RANGES),
      unindexed: database.prepare(`
        SELECT 1 FROM pet_search
        WHERE EXISTS (SELECT 1 FROM pets WHERE id > indexed_to) OR EXISTS (SELECT 1 FROM changed_names)`),
      sample: database.prepare(`
        SELECT id, name FROM pets
        WHERE id <= (SELECT indexed_to FROM pet_search) AND id NOT IN (SELECT pet_id FROM changed_names) AND ${IS_THERE}
        ORDER BY id DESC LIMIT ${SAMPLED}`),
      count: database.prepare('SELECT n FROM pet_counts WHERE status = ?'),
      one: database.prepare(
        `SELECT name, category_id, coalesce(status, 'none') FROM pets WHERE id = ? AND ${IS_THERE}`,
      ),
    }
  }

  /**
   * Visits the animals found, from one on, while any is wanted. The result is the next one to look at if the time was
   * over.
   */
  async each(
    query: Choice & Pick<FindQuery, 'isWhole' | 'after'>,
    { from, withinMs, wanted = () => Infinity, onIndexed = () => {} }: Course,
    visit: (found: Found) => void,
  ): Promise<bigint | undefined> {
    const search = toSearch(query, this.#hasFew(query))
    const { clock } = this.#database
    const untilMs = clock.monotonic() + withinMs
    if (search.phrase !== undefined) {
      // An index that lacks names must not be used.
      if (this.#isWrong()) await this.#writer.run('replaceIndex')
      if (withinMs === Infinity) {
        await this.#indexing
        await this.#index(onIndexed)
      } else this.#indexMeanwhile()
    }
    for (let at = from; at !== undefined; await nextTurn()) {
      const { found, next } = await this.#stepOrHeal(search, at, wanted())
      for (const one of found) visit(one)
      at = next
      if (at !== undefined && wanted() > 0 && clock.monotonic() >= untilMs) return at
      if (wanted() <= 0) return undefined
    }
    return undefined
  }

  /** Removed animals are not in the index. */
  #hasFew({ status }: Choice): boolean {
    if (status === undefined || status === 'removed') return status === 'removed'
    const [n] = this.#database.read(() => this.#sql.count.get(status)) as unknown as [bigint]
    return n <= FEW
  }

  /** Waits for the step under way, and starts no other. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#indexing
  }

  #indexMeanwhile(): void {
    if (this.#indexing !== undefined || this.#database.read(() => this.#sql.unindexed.get()) === undefined) return
    this.#indexing = this.#index(() => {})
      .catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error // the next search goes on
      })
      .finally(() => {
        this.#indexing = undefined
      })
  }

  async #index(onIndexed: (names: number) => void): Promise<void> {
    let isReplaced = false
    while (!this.#isClosed) {
      try {
        const names = await this.#writer.run('indexNames')
        if (names === 0) return
        onIndexed(names)
      } catch (error) {
        if (isReplaced || !isOfIndex(error)) throw error
        await this.#writer.run('replaceIndex')
        isReplaced = true
      }
    }
  }

  /** Whether the index lacks one of the newest names that it should hold. */
  #isWrong(): boolean {
    if (this.#isLookedAt) return false
    this.#isLookedAt = true
    try {
      return this.#database.read(() => {
        const rows = this.#sql.sample.all() as unknown as [bigint, string][]
        return rows.some(([id, name]) => {
          const phrase = phraseOf([fold(name)])
          return phrase !== undefined && !this.#candidates('older', phrase, [id, id], 1).includes(id)
        })
      })
    } catch (error) {
      if (error instanceof DamagedIndex) return true
      throw error
    }
  }

  async #stepOrHeal(search: Search, at: bigint, limit: number): Promise<Step> {
    try {
      return this.#database.read(() => this.#step(search, at, limit))
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error
      // A concurrent update of the index finds the same damage, and replaces it.
      if (this.#indexing === undefined) await this.#writer.run('replaceIndex')
      search.phrase = undefined
      return { found: [], next: at }
    }
  }

  #step(search: Search, at: bigint, limit: number): Step {
    const { way, phrase } = search
    const [indexedTo] = this.#sql.indexedTo.get() as unknown as [bigint]
    const isIndexed = phrase !== undefined && at <= indexedTo
    if (isIndexed) {
      const top = way === 'older' ? at : indexedTo
      return this.#match(search, phrase, [way === 'older' ? INT64_MIN : at, top], limit)
    }
    // The index may have been replaced meanwhile, and what the old one gave is no longer what is next.
    search.candidates = undefined
    // Above the index, or without it, there may be hidden animals of an unfinished import.
    const low = way === 'newer' ? at : phrase === undefined ? INT64_MIN : indexedTo + 1n
    const range = [low, way === 'newer' ? INT64_MAX : at] as const
    const unfinished = this.#sql.unfinished.all() as unknown as Range[]
    const inside = unfinished.find(([first, last]) => first <= at && at <= last)
    if (inside !== undefined) return { found: [], next: beyond(way, way === 'older' ? inside[0] : inside[1]) }
    return this.#scan(search, visible(range, unfinished, way), limit)
  }

  #scan({ way, filter, matches }: Search, range: Range, limit: number): Step {
    const { clock } = this.#database
    const endMs = clock.monotonic() + STEP_MS
    const found: Found[] = []
    for (const row of this.#sql[way].scan[filter].iterate(...range)) {
      const [id, name, categoryId, status] = row as unknown as [bigint, string, bigint, Kind]
      if (matches(name, categoryId)) found.push({ id, name, status: filter === 'removed' ? filter : status })
      if (found.length >= limit || clock.monotonic() > endMs) return { found, next: beyond(way, id) }
    }
    return { found, next: beyond(way, way === 'older' ? range[0] : range[1]) }
  }

  #match(search: Search, phrase: string, range: Range, limit: number): Step {
    const { way, filter, matches } = search
    search.candidates ??= this.#ask(search, phrase, range)
    const { ids, end } = search.candidates
    const { clock } = this.#database
    const endMs = clock.monotonic() + STEP_MS
    const found: Found[] = []
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const [name, categoryId = 0n, status = 'none'] = (this.#sql.one.get(id) ?? []) as [string?, bigint?, Kind?]
      const isOfStatus = filter === 'any' || filter === status
      if (name !== undefined && isOfStatus && matches(name, categoryId)) found.push({ id, name, status })
      if (found.length >= limit || clock.monotonic() > endMs) return { found, next: beyond(way, id) }
    }
    search.candidates = undefined
    return { found, next: beyond(way, end) }
  }

  #ask(search: Search, phrase: string, range: Range): Candidates {
    const { way, wanted } = search
    const ids = this.#candidates(way, phrase, range, wanted)
    search.wanted = Math.min(wanted * 8, MOST_CANDIDATES)
    const last = ids.length < wanted ? undefined : ids.at(-1)
    return { ids: ids.toReversed(), end: last ?? (way === 'older' ? range[0] : range[1]) }
  }

  /** Ids of animals that may have the phrase in their names. Throws DamagedIndex. */
  #candidates(way: Way, phrase: string, range: Range, limit: number): readonly bigint[] {
    try {
      const rows = this.#sql[way].matches.all(phrase, ...range, limit) as unknown as [bigint][]
      return rows.map(([id]) => id)
    } catch (error) {
      throw isOfIndex(error) ? new DamagedIndex('the index of names is damaged', { cause: error }) : error
    }
  }
}

class DamagedIndex extends Error {}

function toSearch(query: Choice & Pick<FindQuery, 'isWhole' | 'after'>, hasFew: boolean): Search {
  const { text, isWhole = false, status, categoryId, after } = query
  const wanted = (isWhole ? [text] : wordsOf(text)).map(fold)
  return {
    way: after === undefined ? 'older' : 'newer',
    filter: status ?? 'any',
    phrase: hasFew ? undefined : phraseOf(wanted),
    matches: (name, category) =>
      (categoryId === undefined || categoryId === category) &&
      (isWhole ? fold(name) === wanted[0] : hasWords(name, wanted)),
    candidates: undefined,
    wanted: FIRST_CANDIDATES,
  }
}

/** The phrases for the index, which looks for all of them; undefined if each word is too short. */
function phraseOf(folded: readonly string[]): string | undefined {
  const asked = folded.map((word) => [...word].slice(0, ASKED)).filter((letters) => letters.length >= TRIGRAM)
  if (asked.length === 0) return undefined
  const phrases = asked.slice(0, WORDS_ASKED).map((letters) => `"${letters.join('').replaceAll('"', '""')}"`)
  return phrases.join(' ')
}

function scanStatement(database: Database, filter: Filter, way: Way): Statement {
  return database.prepare(`
    SELECT id, name, category_id, coalesce(status, 'none') FROM ${SOURCES[filter]}
    AND id BETWEEN ? AND ? ORDER BY id ${orderOf(way)}`)
}

function orderOf(way: Way): string {
  return way === 'older' ? 'DESC' : 'ASC'
}
