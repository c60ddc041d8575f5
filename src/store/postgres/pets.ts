/**
 * Animals in PostgreSQL. Nothing is kept in the process: each answer is read from the database after it was asked for.
 * What arrives together shares round trips: equal lists one query, single animals one `= ANY`, creates one statement.
 */
import { petJson } from '../../contract/json.ts'
import { isPetStatus, type NewPet } from '../../contract/schemas.ts'
import { toPage } from '../page.ts'
import { RoundTrips } from '../round-trips.ts'
import type { PetCounts, PetPage, PetQuery, PetRow, PetStore, PetText } from '../store.ts'
import type { Database, Row } from './database.ts'

const ROWS_PER_EXPORT_BATCH = 250
/** A count is used again for so many times as long as it took to make: counting costs a twentieth of a connection at most. */
const COUNT_KEPT_FACTOR = 20

const COLUMNS = 'id, name, category_id, status'

/** Each id is drawn beside its place in the group, so an animal finds its request by number and not by luck. */
const CREATE = `
  WITH asked AS MATERIALIZED (
    SELECT nextval('pet_ids') AS id, name, category_id, status, place
    FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS pet (name, category_id, status, place)
    ORDER BY place
  ), inserted AS (
    INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM asked
  )
  SELECT id FROM asked ORDER BY place`

export class PostgresPets implements PetStore {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: Database
  readonly #lists = new RoundTrips<PetQuery, PetPage>((asked) => this.#list(asked), { inFlight: 2, groupSize: 1_000 })
  readonly #gets = new RoundTrips<bigint, string | undefined>((ids) => this.#get(ids), {
    inFlight: 2,
    groupSize: 1_000,
  })
  readonly #creates = new RoundTrips<NewPet, PetText>((pets) => this.#create(pets), {
    inFlight: 2,
    groupSize: 1_000,
  })
  #count: { readonly counts: Promise<PetCounts>; keptUntilMs: number } | undefined

  constructor(database: Database) {
    this.#database = database
  }

  list(query: PetQuery): Promise<PetPage> {
    return this.#lists.ask(query)
  }

  #list(asked: readonly PetQuery[]): Promise<readonly PetPage[]> {
    const pages = new Map<string, Promise<PetPage>>()
    return Promise.all(
      asked.map((query) => {
        const name = `${query.status} ${query.limit} ${query.before}`
        const page = pages.get(name) ?? this.#page(query)
        pages.set(name, page)
        return page
      }),
    )
  }

  async #page({ limit, status, before }: PetQuery): Promise<PetPage> {
    // One more than asked for, to know whether more animals follow.
    const values: unknown[] = [limit + 1]
    const conditions: string[] = []
    if (status !== undefined) conditions.push(`status = $${values.push(status)}`)
    if (before !== undefined) conditions.push(`id < $${values.push(before)}::bigint`)
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    const rows = await this.#database.query(`SELECT ${COLUMNS} FROM pets ${where} ORDER BY id DESC LIMIT $1`, values)
    return toPage(rows.map(toCreated), limit)
  }

  get(id: bigint): Promise<string | undefined> {
    return this.#gets.ask(id)
  }

  async #get(ids: readonly bigint[]): Promise<readonly (string | undefined)[]> {
    const rows = await this.#database.query(`SELECT ${COLUMNS} FROM pets WHERE id = ANY($1::bigint[])`, [
      [...new Set(ids)],
    ])
    const found = new Map(rows.map((row) => [row[0], toCreated(row).json]))
    return ids.map((id) => found.get(id.toString()))
  }

  create(pet: NewPet): Promise<PetText> {
    return this.#creates.ask(pet)
  }

  async #create(pets: readonly NewPet[]): Promise<readonly PetText[]> {
    const rows = await this.#database.query(CREATE, toColumns(pets))
    this.#count = undefined
    this.commits.count += 1
    this.commits.rows += pets.length
    return pets.map(({ name, categoryId, status }, index) => {
      const id = BigInt(rows[index]?.[0] ?? '')
      return { id, json: petJson(id, name, categoryId, status) }
    })
  }

  /** A cursor sees the table as it was when it was declared. */
  async *export(after?: bigint): AsyncIterable<readonly PetRow[]> {
    const { query, end } = await this.#database.begin('BEGIN READ ONLY')
    let failed: unknown = 'left before the end'
    try {
      const where = after === undefined ? '' : `WHERE id > ${after}`
      await query(`DECLARE export NO SCROLL CURSOR FOR SELECT ${COLUMNS} FROM pets ${where} ORDER BY id`)
      for (;;) {
        const rows = await query(`FETCH ${ROWS_PER_EXPORT_BATCH} FROM export`)
        if (rows.length === 0) break
        yield rows.map(toPetRow)
      }
      await query('COMMIT')
      failed = undefined
    } finally {
      end(failed)
    }
  }

  /**
   * Animals by status, as they were a moment ago: at most twenty times as long ago as counting takes, so milliseconds in
   * a small table. A row that every create of every node had to update would be a queue for all of them.
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

function toCreated(row: Row): PetText {
  const { id, name, categoryId, status } = toPetRow(row)
  return { id: BigInt(id), json: petJson(id, name, categoryId, status) }
}
