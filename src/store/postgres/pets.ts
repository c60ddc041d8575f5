/**
 * Animals in PostgreSQL. Nothing is cached in the process: each answer is read from the database after it was
 * requested. Requests that arrive together share round trips: one statement each for lists, single animals and creates.
 * Names may be as long as a body, so long ones are left out of a shared answer and read separately, as memory allows.
 */
import type { Eventual } from '../../common/eventual.ts'
import { petJson } from '../../contract/json.ts'
import { isPetStatus, type NewPet } from '../../contract/schemas.ts'
import { Batches } from '../batches.ts'
import { toPage } from '../page.ts'
import type { PetRow } from '../rows.ts'
import { Semaphore } from '../semaphore.ts'
import { type PetCounts, type PetPage, type PetQuery, type PetStore, type PetText, StoreUnavailable } from '../store.ts'
import type { Database } from './database.ts'
import type { Row } from './query.ts'

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

/** Each id is drawn next to its position in the batch, so an animal is matched with its request by number. */
const CREATE = `
  WITH asked AS MATERIALIZED (
    SELECT nextval('pet_ids') AS id, name, category_id, status, place
    FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS pet (name, category_id, status, place)
    ORDER BY place
  ), inserted AS (
    INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM asked
  )
  SELECT id FROM asked ORDER BY place`

/** The result of a batch: already here, or being read separately, for which the rest of the batch need not wait. */
interface Found<T> {
  readonly value: Eventual<T>
}

export class PostgresPets implements PetStore {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: Database
  readonly #lists: Batches<PetQuery, Found<PetPage>>
  readonly #gets: Batches<bigint, Found<string | undefined>>
  readonly #creates: Batches<NewPet, PetText>
  readonly #longNames = new Semaphore(LONG_NAME_BYTES)
  #count: { readonly counts: Promise<PetCounts>; keptUntilMs: number } | undefined

  constructor(database: Database) {
    this.#database = database
    const queue = { maxMs: QUEUE_MS, maxItems: MAX_WAITING, onRefused: database.noteBusy }
    const limits = { inFlight: 2, maxItems: 1_000, queue }
    this.#lists = new Batches((queries, waitedMs) => this.#list(queries, ANSWER_MS - waitedMs), {
      ...limits,
      maxWeight: ROWS_PER_BATCH,
      weigh: ({ limit }) => limit + 1,
    })
    this.#gets = new Batches((ids, waitedMs) => this.#get(ids, ANSWER_MS - waitedMs), limits)
    this.#creates = new Batches((pets, waitedMs) => this.#create(pets, ANSWER_MS - waitedMs), {
      ...limits,
      maxWeight: MIB,
      weigh: bytesOf,
    })
  }

  async list(query: PetQuery): Promise<PetPage> {
    const { value } = await this.#lists.submit(query)
    return value
  }

  /** Queries that differ only in where they begin are one statement. */
  async #list(queries: readonly PetQuery[], withinMs: number): Promise<readonly Found<PetPage>[]> {
    const different = new Map(queries.map((query) => [nameOf(query), query]))
    const alike = Map.groupBy(different.values(), ({ limit, status, before }) =>
      [limit, status, before === undefined].join(),
    )
    const found = new Map<string, Found<PetPage>>()
    await Promise.all(
      alike.values().map(async (group) => {
        const pages = await this.#pages(group, SHARED_COLUMNS, withinMs)
        for (const [index, query] of group.entries()) {
          const rows = pages[index] ?? []
          const isLong = rows.some(hasLongName)
          found.set(nameOf(query), {
            value: isLong ? this.#longPage(query, sumOfLengths(rows)) : toPage(rows.map(toText), query.limit),
          })
        }
      }),
    )
    return queries.map((query) => found.get(nameOf(query)) as Found<PetPage>)
  }

  async #longPage(query: PetQuery, bytes: number): Promise<PetPage> {
    return this.#withMemoryFor(bytes, async () => {
      const [rows = []] = await this.#pages([query], COLUMNS, timeFor(ANSWER_MS, bytes))
      return toPage(rows.map(toText), query.limit)
    })
  }

  /**
   * For each of `queries`, which differ only in where they begin, its rows, one more than requested, to know whether more
   * animals follow. The status is a value of the statement, not a column in it, so that PostgreSQL finds a rare one by
   * its index.
   */
  async #pages(queries: readonly PetQuery[], columns: string, withinMs: number): Promise<readonly Row[][]> {
    const [{ limit, status } = { limit: 0, status: undefined }] = queries
    const bounds = queries.flatMap(({ before }) => before ?? [])
    const values: unknown[] = [limit + 1]
    const conditions = [
      ...(status === undefined ? [] : [`status = $${values.push(status)}`]),
      ...(bounds.length === 0 ? [] : ['id < bound']),
    ]
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    const page = `SELECT ${columns} FROM pets ${where} ORDER BY id DESC LIMIT $1::bigint`
    if (bounds.length === 0) return [[...(await this.#database.query(page, values, withinMs))]]
    const rows = await this.#database.query(
      `
      SELECT page.*, place FROM unnest($${values.push(bounds)}::bigint[]) WITH ORDINALITY AS asked (bound, place),
      LATERAL (${page}) AS page ORDER BY place, id DESC`,
      values,
      withinMs,
    )
    const pages = queries.map((): Row[] => [])
    for (const row of rows) pages[Number(row.at(-1)) - 1]?.push(row)
    return pages
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
    const bytes = sumOfLengths([short])
    return this.#withMemoryFor(bytes, async () => {
      const sql = `SELECT ${COLUMNS} FROM pets WHERE id = $1::bigint`
      const [row] = await this.#database.query(sql, [short[0]], timeFor(ANSWER_MS, bytes))
      return row && toText(row).json
    })
  }

  async #withMemoryFor<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const release = await this.#longNames.acquire(bytes, QUEUE_MS)
    if (release === undefined) {
      const why = 'long names are being read, as many as there is memory for'
      this.#database.noteBusy(why)
      throw new StoreUnavailable(`busy: ${why}`, { known: true })
    }
    try {
      return await work()
    } finally {
      release()
    }
  }

  create(pet: NewPet): Promise<PetText> {
    return this.#creates.submit(pet)
  }

  async #create(pets: readonly NewPet[], withinMs: number): Promise<readonly PetText[]> {
    const bytes = pets.reduce((sum, pet) => sum + bytesOf(pet), 0)
    const rows = await this.#database.change(CREATE, toColumns(pets), timeFor(withinMs, bytes))
    this.commits.count += 1
    this.commits.rows += pets.length
    return pets.map(({ name, categoryId, status }, index) => {
      const id = BigInt(rows[index]?.[0] ?? '')
      return { id, json: petJson(id, name, categoryId, status) }
    })
  }

  /** A cursor sees the table as it was when it was declared. */
  async *export(after?: bigint): AsyncIterable<readonly PetRow[]> {
    const { query, commit, end } = await this.#database.begin('BEGIN READ ONLY')
    let failed: unknown = 'left before the end'
    try {
      const where = after === undefined ? '' : `WHERE id > ${after}`
      await query(`DECLARE export NO SCROLL CURSOR FOR SELECT ${COLUMNS} FROM pets ${where} ORDER BY id`)
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
    if (this.#count === undefined || performance.now() > this.#count.keptUntilMs) {
      const count = { counts: this.#countNow(), keptUntilMs: Infinity }
      const startedMs = performance.now()
      this.#count = count
      count.counts.then(
        () => {
          count.keptUntilMs = performance.now() + COUNT_KEPT_FACTOR * (performance.now() - startedMs)
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
    const rows = await this.#database.patientQuery('SELECT status, count(*) FROM pets GROUP BY status')
    for (const [status, n] of rows) counts[isPetStatus(status) ? status : 'none'] = Number(n)
    return counts
  }
}

function toColumns(pets: readonly NewPet[]): unknown[] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status ?? null),
  ]
}

function toPetRow([id, name, categoryId, status]: Row): PetRow {
  return {
    id: id ?? '',
    name: name ?? '',
    categoryId: categoryId ?? '',
    status: isPetStatus(status) ? status : undefined,
  }
}

function toText(row: Row): PetText {
  const { id, name, categoryId, status } = toPetRow(row)
  return { id: BigInt(id), json: petJson(id, name, categoryId, status) }
}

function hasLongName([, name]: Row): boolean {
  return name === null
}

/** In bytes; of rows with SHARED_COLUMNS. */
function sumOfLengths(rows: readonly Row[]): number {
  return rows.reduce((sum, [, , , , length]) => sum + Number(length), 0)
}

function nameOf({ limit, status, before }: PetQuery): string {
  return `${limit} ${status} ${before}`
}

function bytesOf({ name }: NewPet): number {
  return Buffer.byteLength(name)
}

/** Long work gets the time that it needs. */
function timeFor(withinMs: number, bytes: number): number {
  return withinMs + (bytes / MIB) * MS_PER_MIB
}
