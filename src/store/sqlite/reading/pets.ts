/** Animals in SQLite, from cached text while the table is unchanged. No cost depends on the size of the table. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { INT64_MAX, INT64_MIN } from '../../../contract/int64.ts'
import { petJson } from '../../../contract/json.ts'
import { PET_FILTERS, type PetFilter } from '../../../contract/pet-filter.ts'
import { isPetStatus, type NewPet, type PetStatus } from '../../../contract/schemas.ts'
import { toPage } from '../../page.ts'
import { type AnimalCounts, STORED_ANIMAL, type StoredAnimal, toCounts, whereOf } from '../../rows.ts'
import type { SqlRow } from '../../sql.ts'
import type { PetJson, PetPage, PetQuery, PetStore } from '../../store.ts'
import { failure } from '../file/errors.ts'
import type { FileThread } from '../file/file-thread.ts'
import type { WriterSide } from '../writing/file-writer.ts'
import { WriterThread, type WriterThreadOptions } from '../writing/writer-thread.ts'
import { ListCache, PetCache } from './cache.ts'
import type { ReadStatement, SqliteReader } from './reader.ts'

const ROWS_PER_EXPORT_BATCH = 1_000
/** In UTF-16 units: a thousand names of full length would take 60 MB. */
const NAMES_PER_EXPORT_BATCH = 1 << 20
/** Rows copied in one step of some ms. */
const ROWS_PER_COPY = 2_000

const COLUMNS = STORED_ANIMAL.columns

/** A status is in the text, because SQLite uses a partial index only if it knows the condition when it prepares. */
function sourceOf(filter: PetFilter) {
  const values: SQLInputValue[] = []
  const where = whereOf(filter, (value, name) => {
    if ('enum' in PET_FILTERS[name].schema) return `'${value}'`
    values.push(value)
    return '?'
  })
  return { sql: `pets WHERE ${where}`, values }
}

export class SqlitePets implements PetStore {
  readonly writer: WriterThread
  readonly #reader: SqliteReader
  readonly #lists = new ListCache()
  readonly #pets = new PetCache()
  readonly #single: ReadStatement
  readonly #counts: ReadStatement
  readonly #listing = new Map<string, ReadStatement>()

  constructor(
    reader: SqliteReader,
    thread: FileThread<WriterSide>,
    options: Pick<WriterThreadOptions, 'clock' | 'report'>,
  ) {
    this.#reader = reader
    // The service's own commits are added to the cached texts; any other change clears them.
    this.writer = new WriterThread(thread, {
      ...options,
      onCreated: (from, to, created) => {
        const apply = () => {
          for (const { pet, text } of created) this.#lists.add(pet, text)
        }
        reader.noteOwn({ from, to, apply })
      },
    })
    reader.onCatchUp(() => thread.readAnswers())
    reader.onChange(() => {
      this.#lists.clear()
      this.#pets.clear()
    })
    this.#single = reader.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`)
    this.#counts = reader.prepare('SELECT status, n FROM pet_counts')
  }

  create(pet: NewPet, keyId?: string): Promise<PetJson> {
    return this.writer.create(pet, keyId)
  }

  list(query: PetQuery): PetPage {
    const { limit, before } = query
    this.#reader.shareSnapshot()
    if (before === INT64_MIN) return toPage([], limit)
    if (before !== undefined) return toPage(this.#read(query, before - 1n, limit + 1), limit)
    return this.#lists.page(query, limit, (count) => this.#read(query, INT64_MAX, count))
  }

  /** The newest `count` animals with ids up to `top`. */
  #read(filter: PetFilter, top: bigint, count: number): PetJson[] {
    const { sql, values } = sourceOf(filter)
    // With a bare `LIMIT ?`, SQLite prepares the statement again for each number.
    const list = (source: string) =>
      this.#reader.prepare(`SELECT ${COLUMNS} FROM ${source} AND id <= ? ORDER BY id DESC LIMIT ? + 0`)
    const statement = this.#listing.getOrInsertComputed(sql, list)
    return statement.all(...values, top, count).map(toListed)
  }

  get(id: bigint): string | undefined {
    this.#reader.shareSnapshot()
    const ready = this.#pets.get(id)
    if (ready !== undefined) return ready
    const row = this.#single.get(id)
    if (row === undefined) return undefined
    const { json } = toListed(row)
    this.#pets.set(id, json)
    return json
  }

  /** Copies one snapshot into a temporary table, because a slow reader would keep the log from being shortened. */
  async *export(after: bigint = INT64_MIN, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredAnimal[]> {
    using reader = this.#reader.openReader()
    try {
      await copyAside(reader, after, statuses?.map((status) => sourceOf({ status })) ?? [sourceOf({})])
      let batch: StoredAnimal[] = []
      let length = 0
      const exported = `SELECT ${COLUMNS} FROM temp.exported ORDER BY id`
      for (const row of reader.prepare(exported, { returnArrays: true, readBigInts: true }).iterate()) {
        const pet = STORED_ANIMAL.row(row as unknown as SqlRow)
        batch.push(pet)
        length += pet.name.length
        if (batch.length < ROWS_PER_EXPORT_BATCH && length < NAMES_PER_EXPORT_BATCH) continue
        yield batch
        batch = []
        length = 0
      }
      if (batch.length > 0) yield batch
    } catch (error) {
      throw failure(error)
    }
  }

  count(): AnimalCounts {
    return toCounts(this.#counts.all())
  }
}

/** Copies the animals after the id `after` to temp.exported in steps of a few ms. */
async function copyAside(
  reader: DatabaseSync,
  after: bigint,
  sources: readonly ReturnType<typeof sourceOf>[],
): Promise<void> {
  reader.exec(`CREATE TEMP TABLE exported (${COLUMNS.replace('id', 'id INTEGER PRIMARY KEY')}); BEGIN`)
  for (const { sql, values } of sources) {
    const copy = reader.prepare(`
      INSERT INTO temp.exported SELECT ${COLUMNS} FROM ${sql} AND id > ?
      ORDER BY id LIMIT ${ROWS_PER_COPY}`)
    copy.setReadBigInts(true) // the last id may be one that a number cannot hold
    let result = copy.run(...values, after)
    while (Number(result.changes) === ROWS_PER_COPY) {
      await setImmediate()
      result = copy.run(...values, result.lastInsertRowid)
    }
  }
  reader.exec('COMMIT')
}

function toListed(row: SqlRow): PetJson {
  const [id, name, categoryId, status] = row as [bigint, string, bigint, unknown]
  return { id, json: petJson(id, name, categoryId, isPetStatus(status) ? status : undefined) }
}
