/**
 * Animals in PostgreSQL. Nothing is cached in the process: each answer is read from the database after it was
 * requested. Requests that arrive together share round trips: one statement each for lists, single animals and creates.
 * Names may be as long as a body, so long ones are left out of a shared answer and read separately, as memory allows.
 */
import { MINUTE_MS } from '../../common/clock.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { petJson } from '../../contract/json.ts'
import { isPetStatus, type NewPet, type PetStatus } from '../../contract/schemas.ts'
import { Batches } from '../batches.ts'
import { toPage } from '../page.ts'
import type { StoredPet } from '../rows.ts'
import { Semaphore } from '../semaphore.ts'
import { foldedOf } from '../sql.ts'
import { type PetCounts, type PetJson, type PetPage, type PetQuery, type PetStore, StoreUnavailable } from '../store.ts'
import type { Database } from './connection/database.ts'
import type { Row } from './connection/query.ts'
import { readPages } from './pages.ts'

const ROWS_PER_EXPORT_BATCH = 250
/** A count is reused for this many times as long as it took: counting uses at most a twentieth of a connection. */
const COUNT_KEPT_FACTOR = 20
/**
 * How long a request may wait for its batch to leave, and for its whole answer: less than 2 s with its key and
 * counters.
 */
const QUEUE_MS = 500
const ANSWER_MS = 1_200
const MAX_WAITING = 10_000
/** A large batch of creates gets this much more time. */
const MS_PER_MIB = 500
const MIB = 1_048_576
const ROWS_PER_BATCH = 10_000
/** Longer names, and pages that hold one, do not share a statement. */
const SHARED_NAME_BYTES = 1_024
/** Total memory for names that are read separately. Rows, their JSON and its pieces take about four times as much. */
const LONG_NAME_BYTES = 16 * MIB

const COLUMNS = 'id, name, category_id, status'
/** Without a name that is too long, and with its length. */
const SHARED_COLUMNS = `id, CASE WHEN octet_length(name) <= ${SHARED_NAME_BYTES} THEN name END, category_id, status, octet_length(name)`

/**
 * Each id is drawn next to its position in the batch, so an animal is matched with its request by number. Those of one
 * key are drawn together, and a range that goes on becomes longer in the same minute: where animals came from then
 * takes fewer rows. Only one batch can go on where a range ends, so none waits for another.
 */
const CREATE = `
  WITH asked AS MATERIALIZED (
    SELECT nextval('pet_ids') AS id, name, category_id, status, key_id, folded, place
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $6::text[])
      WITH ORDINALITY AS pet (name, category_id, status, key_id, folded, place)
    ORDER BY key_id, place
  ), inserted AS (
    INSERT INTO pets (id, name, category_id, status, folded) SELECT id, name, category_id, status, folded FROM asked
  ), runs AS (
    SELECT min(id) AS first_id, max(id) AS last_id, key_id
    FROM (SELECT id, key_id, id - row_number() OVER (PARTITION BY key_id ORDER BY id) AS run FROM asked) AS numbered
    WHERE key_id IS NOT NULL GROUP BY key_id, run
  ), lengthened AS (
    UPDATE created_ranges AS before SET last_id = runs.last_id FROM runs
    WHERE before.first_id = (SELECT max(first_id) FROM created_ranges WHERE first_id < runs.first_id)
      AND before.last_id = runs.first_id - 1 AND before.key_id = runs.key_id AND minute = $5::bigint
    RETURNING runs.first_id
  ), noted AS (
    INSERT INTO created_ranges SELECT first_id, last_id, $5::bigint, key_id
    FROM runs WHERE first_id NOT IN (SELECT first_id FROM lengthened)
  )
  SELECT id FROM asked ORDER BY place`

/** The result of a batch: already here, or being read separately, for which the rest of the batch need not wait. */
interface Found<T> {
  readonly value: MaybePromise<T>
}

/** What is read with its long names, and the length of them. */
interface Sized<T> {
  readonly item: T
  readonly bytes: number
}

/** With the key whose request it is, if one is noted. */
type AskedPet = NewPet & { readonly keyId: string | undefined }

export class PostgresPets implements PetStore {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: Database
  readonly #lists: Batches<PetQuery, Found<PetPage>>
  readonly #gets: Batches<bigint, Found<string | undefined>>
  readonly #longLists: Batches<Sized<PetQuery>, readonly Row[]>
  readonly #longGets: Batches<Sized<string>, Row | undefined>
  readonly #creates: Batches<AskedPet, PetJson>
  readonly #longNames: Semaphore
  #count: { readonly counts: Promise<PetCounts>; keptUntilMs: number } | undefined

  constructor(database: Database) {
    this.#database = database
    const queue = { maxMs: QUEUE_MS, maxItems: MAX_WAITING, onRefused: database.noteBusy }
    this.#longNames = new Semaphore(LONG_NAME_BYTES, database.clock)
    const limits = { clock: database.clock, inFlight: 2, maxItems: 1_000, queue }
    this.#lists = new Batches((queries, waitedMs) => this.#list(queries, ANSWER_MS - waitedMs), {
      ...limits,
      maxWeight: ROWS_PER_BATCH,
      weigh: ({ limit }) => limit + 1,
    })
    this.#gets = new Batches((ids, waitedMs) => this.#get(ids, ANSWER_MS - waitedMs), limits)
    const long = { ...limits, inFlight: 4, maxWeight: MIB, weigh: sizeOf }
    this.#longLists = new Batches<Sized<PetQuery>, readonly Row[]>(
      (pages, waitedMs) => readPages(database.query, pages.map(itemOf), COLUMNS, timeForAll(pages, waitedMs)),
      long,
    )
    this.#longGets = new Batches<Sized<string>, Row | undefined>(
      (ids, waitedMs) => this.#longRows(ids.map(itemOf), timeForAll(ids, waitedMs)),
      long,
    )
    this.#creates = new Batches<AskedPet, PetJson>((pets, waitedMs) => this.#create(pets, ANSWER_MS - waitedMs), {
      ...limits,
      maxWeight: MIB,
      weigh: bytesOf,
    })
  }

  async list(query: PetQuery): Promise<PetPage> {
    const { value } = await this.#lists.submit(query)
    return value
  }

  async #list(queries: readonly PetQuery[], withinMs: number): Promise<readonly Found<PetPage>[]> {
    const different = new Map(queries.map((query) => [nameOf(query), query]))
    const pages = await readPages(this.#database.query, [...different.values()], SHARED_COLUMNS, withinMs)
    const found = new Map(
      different.entries().map(([name, query], index): [string, Found<PetPage>] => {
        const rows = pages[index] ?? []
        return [
          name,
          { value: rows.some(hasLongName) ? this.#longPage(query, rows) : toPage(rows.map(toText), query.limit) },
        ]
      }),
    )
    return queries.map((query) => found.get(nameOf(query)) as Found<PetPage>)
  }

  #longPage(query: PetQuery, short: readonly Row[]): Promise<PetPage> {
    return this.#withMemoryFor(sumOfLengths(short), async (bytes) => {
      const rows = await this.#longLists.submit({ item: query, bytes })
      return toPage(rows.map(toText), query.limit)
    })
  }

  async get(id: bigint): Promise<string | undefined> {
    const { value } = await this.#gets.submit(id)
    return value
  }

  async #get(ids: readonly bigint[], withinMs: number): Promise<readonly Found<string | undefined>[]> {
    const sql = `SELECT ${SHARED_COLUMNS} FROM pets WHERE id = ANY($1::bigint[])`
    const rows = await this.#database.query(sql, [[...new Set(ids)]], withinMs)
    const found = new Map(
      rows.map((row) => [row[0], { value: hasLongName(row) ? this.#longPet(row) : toText(row).json }] as const),
    )
    return ids.map((id) => found.get(id.toString()) ?? { value: undefined })
  }

  #longPet(short: Row): Promise<string | undefined> {
    return this.#withMemoryFor(sumOfLengths([short]), async (bytes) => {
      const row = await this.#longGets.submit({ item: short[0] ?? '', bytes })
      return row && toText(row).json
    })
  }

  async #longRows(ids: readonly string[], withinMs: number): Promise<readonly (Row | undefined)[]> {
    const sql = `SELECT ${COLUMNS} FROM pets WHERE id = ANY($1::bigint[])`
    const rows = new Map((await this.#database.query(sql, [ids], withinMs)).map((row) => [row[0], row]))
    return ids.map((id) => rows.get(id))
  }

  async #withMemoryFor<T>(bytes: number, work: (bytes: number) => Promise<T>): Promise<T> {
    const release = await this.#longNames.acquire(bytes, QUEUE_MS)
    if (release === undefined) {
      const why = 'long names are being read, as many as there is memory for'
      this.#database.noteBusy(why)
      throw new StoreUnavailable(`it is busy: ${why}.`, { known: true })
    }
    try {
      return await work(bytes)
    } finally {
      release()
    }
  }

  create(pet: NewPet, keyId?: string): Promise<PetJson> {
    return this.#creates.submit({ ...pet, keyId })
  }

  async #create(pets: readonly AskedPet[], withinMs: number): Promise<readonly PetJson[]> {
    const bytes = pets.reduce((sum, pet) => sum + bytesOf(pet), 0)
    const minute = Math.floor(this.#database.clock.now() / MINUTE_MS)
    const rows = await this.#database.change(
      CREATE,
      [...toColumns(pets), minute, pets.map(({ name }) => foldedOf(name))],
      timeFor(withinMs, bytes),
    )
    this.commits.count += 1
    this.commits.rows += pets.length
    return pets.map(({ name, categoryId, status }, index) => {
      const id = BigInt(rows[index]?.[0] ?? '')
      return { id, json: petJson(id, name, categoryId, status) }
    })
  }

  /** A cursor sees the table as it was when it was declared. */
  async *export(after?: bigint, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredPet[]> {
    const { query, commit, end } = await this.#database.begin('BEGIN READ ONLY')
    let failed: unknown = 'left before the end'
    try {
      const greater = after === undefined ? 'true' : `id > ${after}`
      const among = statuses === undefined ? 'true' : `status = ANY ('{${statuses.join(',')}}')`
      await query(
        `DECLARE export NO SCROLL CURSOR FOR SELECT ${COLUMNS} FROM pets WHERE ${greater} AND ${among} ORDER BY id`,
      )
      for (;;) {
        const rows = await query(`FETCH ${ROWS_PER_EXPORT_BATCH} FROM export`)
        if (rows.length === 0) break
        yield rows.map(toPetRow)
      }
      await commit()
      failed = undefined
    } finally {
      end(failed)
    }
  }

  /**
   * Animals by status, as of a moment ago: at most twenty times as long ago as counting takes, so milliseconds in a
   * small table, however many are created in the meantime. A row of totals that every create on every node had to
   * update would make all of them wait for each other.
   */
  count(): Promise<PetCounts> {
    const { clock } = this.#database
    if (this.#count === undefined || clock.monotonic() > this.#count.keptUntilMs) {
      const count = { counts: this.#countNow(), keptUntilMs: Infinity }
      const startedMs = clock.monotonic()
      this.#count = count
      count.counts.then(
        () => {
          count.keptUntilMs = clock.monotonic() + COUNT_KEPT_FACTOR * (clock.monotonic() - startedMs)
        },
        () => {
          count.keptUntilMs = 0
        },
      )
    }
    return this.#count.counts
  }

  async #countNow(): Promise<PetCounts> {
    const counts = { available: 0, pending: 0, sold: 0, none: 0 }
    const rows = await this.#database.longQuery('SELECT status, count(*) FROM pets GROUP BY status')
    for (const [status, n] of rows) counts[isPetStatus(status) ? status : 'none'] = Number(n)
    return counts
  }
}

function toColumns(pets: readonly AskedPet[]): unknown[] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status ?? null),
    pets.map(({ keyId }) => keyId ?? null),
  ]
}

function toPetRow([id, name, categoryId, status]: Row): StoredPet {
  return {
    id: id ?? '',
    name: name ?? '',
    categoryId: categoryId ?? '',
    status: isPetStatus(status) ? status : undefined,
  }
}

function toText(row: Row): PetJson {
  const { id, name, categoryId, status } = toPetRow(row)
  return { id: BigInt(id), json: petJson(id, name, categoryId, status) }
}

function hasLongName([, name]: Row): boolean {
  return name === null
}

/** In bytes, over rows with SHARED_COLUMNS. */
function sumOfLengths(rows: readonly Row[]): number {
  return rows.reduce((sum, [, , , , length]) => sum + Number(length), 0)
}

function nameOf({ limit, status, before }: PetQuery): string {
  return `${limit} ${status} ${before}`
}

function bytesOf({ name }: NewPet): number {
  return Buffer.byteLength(name)
}

function itemOf<T>({ item }: Sized<T>): T {
  return item
}

function timeForAll(items: readonly Sized<unknown>[], waitedMs: number): number {
  const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0)
  return timeFor(ANSWER_MS - waitedMs, bytes)
}

function sizeOf({ bytes }: Sized<unknown>): number {
  return bytes
}

/** The time limit, longer for a large batch. */
function timeFor(withinMs: number, bytes: number): number {
  return withinMs + (bytes / MIB) * MS_PER_MIB
}
