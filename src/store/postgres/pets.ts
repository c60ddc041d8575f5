/** Animals in PostgreSQL, without a cache. Requests that arrive together share a statement, except for long names. */
import { MINUTE_MS } from '../../common/clock.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { petJson } from '../../contract/json.ts'
import { filterKey } from '../../contract/pet-filter.ts'
import type { NewPet, PetStatus } from '../../contract/schemas.ts'
import { Batches, type BatchOptions } from '../batches.ts'
import { toPage } from '../page.ts'
import {
  type AnimalCounts,
  MEMBER_COLUMNS,
  MEMBER_TYPES,
  newCells,
  STORED_ANIMAL,
  type StoredAnimal,
  toCounts,
  toStatus,
  whereOf,
} from '../rows.ts'
import { big, int, type SqlRow, text } from '../sql.ts'
import type { PetJson, PetPage, PetQuery, PetStore } from '../store.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { DIALECT } from './operator-database.ts'

const ROWS_PER_EXPORT_BATCH = 250
/** How long a request waits for its batch and for its answer: less than 2 s with key and counters. */
const QUEUE_MS = 500
const ANSWER_MS = 1_200
const MS_PER_MIB = 500
const MIB = 1_048_576
/** Creates together, by their names: one batch is folded, encoded and sent in one turn of the event loop. */
const CREATES_BYTES = MIB / 4
/** Rows, JSON and pieces need four times as much. A page that needs more is sent alone. */
const LONG_BYTES = 4 * MIB
const ROWS_PER_BATCH = 10_000
const SHARED_NAME_BYTES = 1_024

const columnsWith = (name: string) =>
  `octet_length(name)::text, ${STORED_ANIMAL.columns.replace(/\w+/g, (column) => (column === 'name' ? name : `${column}::text`))}`
const COLUMNS = columnsWith('name')
const SHARED_COLUMNS = columnsWith(`CASE WHEN octet_length(name) <= ${SHARED_NAME_BYTES} THEN name END`)

/** Ids match the positions in the batch. A range of one key is extended within the same minute. */
const CREATE = `
  WITH asked AS MATERIALIZED (
    SELECT nextval('pet_ids') AS id, input.* FROM ${inputOf([]).from} ORDER BY key_id, place
  ), inserted AS (
    INSERT INTO pets (id, ${MEMBER_COLUMNS}) SELECT id, ${MEMBER_COLUMNS} FROM asked
  ), runs AS (
    SELECT min(id) AS first_id, max(id) AS last_id, key_id
    FROM (SELECT id, key_id, id - row_number() OVER (PARTITION BY key_id ORDER BY id) AS run FROM asked) AS numbered
    WHERE key_id IS NOT NULL GROUP BY key_id, run
  ), lengthened AS (
    UPDATE created_ranges AS before SET last_id = runs.last_id FROM runs
    WHERE before.first_id = (SELECT max(first_id) FROM created_ranges WHERE first_id < runs.first_id)
      AND before.last_id = runs.first_id - 1 AND before.key_id = runs.key_id AND minute = $1::bigint
    RETURNING runs.first_id
  ), noted AS (
    INSERT INTO created_ranges SELECT first_id, last_id, $1::bigint, key_id
    FROM runs WHERE first_id NOT IN (SELECT first_id FROM lengthened)
  )
  SELECT id FROM asked ORDER BY place`

/** What was read, and the bytes of long names still missing. Equal requests share it. */
interface ShortAnswer<A> {
  readonly answer: A
  readonly lacks: number
}

type PetCreation = NewPet & { readonly keyId: string | undefined }

export class PostgresPets implements PetStore {
  readonly commits = { count: 0 }
  readonly #database: PostgresDatabase
  readonly list: (query: PetQuery) => Promise<PetPage>
  readonly get: (id: bigint) => Promise<string | undefined>
  /** By the length of the name: short ones do not wait for long ones. */
  readonly #creates: Readonly<Record<'short' | 'long', Batches<PetCreation, PetJson>>>

  constructor(database: PostgresDatabase) {
    this.#database = database
    const { clock, refusal } = database
    const limits = { clock, inFlight: 2, maxItems: 1_000, maxMs: QUEUE_MS, refusal }
    const ofRows = { maxWeight: ROWS_PER_BATCH, weigh: ({ limit }: PetQuery) => limit + 1 }
    this.list = reading((...args) => this.#list(...args), { ...limits, ...ofRows })
    this.get = reading((...args) => this.#get(...args), limits)
    const creating = (inFlight: number) => {
      const options = { ...limits, inFlight, maxWeight: CREATES_BYTES, weigh: bytesOf }
      return new Batches<PetCreation, PetJson>((pets, waitedMs) => this.#create(pets, ANSWER_MS - waitedMs), options)
    }
    this.#creates = { short: creating(limits.inFlight), long: creating(1) }
  }

  async #list(
    queries: readonly PetQuery[],
    columns: string,
    withinMs: number,
  ): Promise<readonly ShortAnswer<PetPage>[]> {
    const different = [...new Map(queries.map((query) => [keyOf(query), query])).values()]
    const { sql, values } = toStatement(
      different.map((query, place) => ({ ...query, place })),
      columns,
    )
    const rows = Map.groupBy(await this.#database.query(sql, values, withinMs), (row) => int(row.at(-1)))
    const answers = new Map(
      different.map((query, place) => {
        const its = rows.get(place) ?? []
        return [keyOf(query), { answer: toPage(its.map(toText), query.limit), lacks: sum(its.map(lackOf)) }] as const
      }),
    )
    return queries.map((query) => answers.get(keyOf(query)) as ShortAnswer<PetPage>)
  }

  async #get(
    ids: readonly bigint[],
    columns: string,
    withinMs: number,
  ): Promise<readonly ShortAnswer<string | undefined>[]> {
    const sql = `SELECT ${columns} FROM pets WHERE id = ANY($1::bigint[])`
    const rows = await this.#database.query(sql, [[...new Set(ids)]], withinMs)
    const answers = new Map(rows.map((row) => [big(row[1]), { answer: toText(row).json, lacks: lackOf(row) }]))
    return ids.map((id) => answers.get(id) ?? { answer: undefined, lacks: 0 })
  }

  create(pet: NewPet, keyId?: string): Promise<PetJson> {
    const { short, long } = this.#creates
    return (bytesOf(pet) > SHARED_NAME_BYTES ? long : short).submit({ ...pet, keyId })
  }

  async #create(pets: readonly PetCreation[], withinMs: number): Promise<readonly PetJson[]> {
    const bytes = sum(pets.map(bytesOf))
    const minute = Math.floor(this.#database.clock.now() / MINUTE_MS)
    const rows = await this.#database.change(CREATE, [minute, ...inputOf(pets).values], timeFor(withinMs, bytes))
    this.commits.count += 1
    return pets.map(({ name, categoryId, status }, index) => {
      const id = big(rows[index]?.[0])
      return { id, json: petJson(id, name, categoryId, status) }
    })
  }

  async *export(after?: bigint, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredAnimal[]> {
    using transaction = await this.#database.begin('BEGIN READ ONLY')
    const greater = after === undefined ? 'true' : `id > ${after}`
    const among = statuses === undefined ? 'true' : `status = ANY ('{${statuses.join(',')}}')`
    await transaction.query(
      `DECLARE export NO SCROLL CURSOR FOR SELECT ${STORED_ANIMAL.columns} FROM pets WHERE ${greater} AND ${among} ORDER BY id`,
    )
    for (;;) {
      const rows = await transaction.query(`FETCH ${ROWS_PER_EXPORT_BATCH} FROM export`)
      if (rows.length === 0) return transaction.commit()
      yield rows.map(STORED_ANIMAL.row)
    }
  }

  async count(): Promise<AnimalCounts> {
    return toCounts(await this.#database.longQuery(DIALECT.countAll))
  }
}

/** Reads without long names first. Requests with long names are then read a few at a time, which bounds the memory. */
function reading<Q, A>(
  read: (queries: readonly Q[], columns: string, withinMs: number) => Promise<readonly ShortAnswer<A>[]>,
  options: BatchOptions<Q>,
): (query: Q) => Promise<A> {
  const { clock, maxItems, maxMs, refusal } = options
  const long = new Batches<{ readonly query: Q; readonly bytes: number }, A>(
    async (all, waitedMs) => {
      const withinMs = timeFor(ANSWER_MS - waitedMs, sum(all.map(({ bytes }) => bytes)))
      const answers = await read(
        all.map(({ query }) => query),
        COLUMNS,
        withinMs,
      )
      return answers.map(({ answer }) => answer)
    },
    { clock, maxItems, maxMs, refusal, inFlight: 1, maxWeight: LONG_BYTES, weigh: ({ bytes }) => bytes },
  )
  const short = new Batches<Q, { readonly value: MaybePromise<A> }>(async (queries, waitedMs) => {
    const answers = await read(queries, SHARED_COLUMNS, ANSWER_MS - waitedMs)
    const again = new Map<ShortAnswer<A>, Promise<A>>()
    return queries.map((one, n) => {
      const its = answers[n] as ShortAnswer<A>
      if (its.lacks === 0) return { value: its.answer }
      return { value: again.getOrInsertComputed(its, () => long.submit({ query: one, bytes: its.lacks })) }
    })
  }, options)
  return async (query) => (await short.submit(query)).value
}

/** Each with its key as the last cell. Bound from $2 on. */
function inputOf(pets: readonly PetCreation[]) {
  const rows = pets.map((pet) => [...newCells(pet), pet.keyId ?? null])
  return DIALECT.inputTable({ ...MEMBER_TYPES, key_id: 'text' }, rows, 2)
}

function toText([, id, name, categoryId, status]: SqlRow): PetJson {
  return { id: big(id), json: petJson(text(id), text(name), text(categoryId), toStatus(status)) }
}

function lackOf([length, , name]: SqlRow): number {
  return name === null ? int(length) : 0
}

function keyOf(query: PetQuery): string {
  return `${query.limit} ${query.before} ${filterKey(query)}`
}

function bytesOf({ name }: NewPet): number {
  return Buffer.byteLength(name)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function timeFor(withinMs: number, bytes: number): number {
  return withinMs + (bytes / MIB) * MS_PER_MIB
}

/** A page to read, and its number in the statement. */
type PageRequest = PetQuery & { readonly place: number }

/**
 * Pages in one statement. The last cell of a row is its page. First pages are parts of their own; further pages of one
 * filter are one part. The filter is a value of a part, so that PostgreSQL finds rare values by index.
 */
function toStatement(pages: readonly PageRequest[], columns: string): { sql: string; values: readonly unknown[] } {
  const values: unknown[] = []
  const firstPages = pages.filter(({ before }) => before === undefined)
  const further = Map.groupBy(
    pages.filter(({ before }) => before !== undefined),
    filterKey,
  )
  const parts = [
    ...firstPages.map((page) => newest(page, columns, values)),
    ...further.values().map((group) => continuation(group, columns, values)),
  ]
  return { sql: parts.join(' UNION ALL '), values }
}

function newest(page: PageRequest, columns: string, values: unknown[]): string {
  const where = whereOf(page, (value) => `$${values.push(value)}`)
  const rows = `$${values.push(page.limit + 1)}::bigint`
  return `(SELECT ${columns}, $${values.push(page.place)}::text FROM pets WHERE ${where} ORDER BY pets.id DESC LIMIT ${rows})`
}

/** The pages of one filter after their cursors. Each page ends at its own limit. */
function continuation(pages: readonly PageRequest[], columns: string, values: unknown[]): string {
  const [where] = pages.slice(0, 1).map((page) => whereOf(page, (value) => `$${values.push(value)}`))
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
