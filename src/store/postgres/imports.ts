/**
 * Imports into PostgreSQL: one transaction, so all animals appear at the same instant or not at all, and nobody waits
 * for it.
 */
import {
  type ImportedPet,
  type ImportOptions,
  type ImportOutcome,
  type ImportRecord,
  type PetImports,
  TAKEN_SHOWN,
  type Undone,
} from '../imports.ts'
import type { Author } from '../records.ts'
import type { Database } from './database.ts'
import { enter } from './journal.ts'
import type { Query } from './query.ts'

const STAGE = `
  INSERT INTO staged (name, category_id, status, pet_id)
  SELECT name, category_id, status, pet_id
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) WITH ORDINALITY AS pet (name, category_id, status, pet_id, place)
  ORDER BY place`

const DUPLICATES = `
  SELECT count(*) FROM staged
  WHERE EXISTS (SELECT FROM pets WHERE pets.name = staged.name AND pets.category_id = staged.category_id)`

const TAKEN = `
  SELECT pet_id FROM staged WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
  UNION SELECT pet_id FROM staged GROUP BY pet_id HAVING count(*) > 1
  ORDER BY pet_id LIMIT $1`

/** Adds the staged animals and returns their ids as ranges. */
const add = (columns: string, values: string) => `
  WITH added AS (
    INSERT INTO pets (${columns}name, category_id, status)
    SELECT ${values}name, category_id, status FROM staged ORDER BY place RETURNING id
  )
  SELECT min(id), max(id) FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS run FROM added) AS runs GROUP BY run`

const UNDO = `
  WITH gone AS (
    DELETE FROM pets USING import_ranges
    WHERE import_n = $1::bigint AND pets.id BETWEEN first_id AND last_id
      AND NOT EXISTS (SELECT FROM journal WHERE pet_id = pets.id)
    RETURNING pets.id, pets.name, pets.category_id, pets.status
  ), kept AS (
    INSERT INTO removed_pets SELECT id, name, category_id, status, $2::bigint FROM gone
  )
  SELECT count(*) FROM gone`

/** After an import of so many animals the planner knows too little of them. */
const LARGE = 10_000

export class PostgresImports implements PetImports {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws StoreUnavailable, or what `batches` throws. */
  async add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    const outcome = await this.#stageAndAdd(batches, options)
    if (outcome.n !== undefined && outcome.animals >= LARGE) await this.#analyze()
    return outcome
  }

  /**
   * The server does it too, about a minute later. Until then a search in one status among a million animals took 120 ms and more,
   * for 20 ms after this; this takes 0.2 s. It is not part of the transaction: it would wait for an index that is being built, and
   * the index waits for the transaction. What fails here has no say in an import that is committed.
   */
  async #analyze(): Promise<void> {
    await this.#database.patientQuery('ANALYZE (SKIP_LOCKED) pets').catch(() => undefined)
  }

  #stageAndAdd(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query(
        'CREATE TEMP TABLE staged (place bigserial, name text, category_id bigint, status text, pet_id bigint) ON COMMIT DROP',
      )
      let animals = 0
      for await (const pets of batches) {
        await query(STAGE, [
          pets.map(({ name }) => name),
          pets.map(({ categoryId }) => categoryId),
          pets.map(({ status }) => status ?? null),
          pets.map(({ id }) => id ?? null),
        ])
        animals += pets.length
      }
      await query('ANALYZE staged')
      const taken = options.withIds ? (await query(TAKEN, [TAKEN_SHOWN])).map(([id]) => BigInt(id ?? '')) : []
      const counts = !options.withIds && !options.allowDuplicates
      const duplicates = counts ? Number((await query(DUPLICATES))[0]?.[0]) : 0
      const isRefused = options.dryRun || animals === 0 || taken.length > 0 || duplicates > 0
      const n = isRefused ? undefined : await addStaged(query, animals, options)
      return { n, animals, duplicates, taken }
    })
  }

  async list(limit: number): Promise<readonly ImportRecord[]> {
    const rows = await this.#database.query(
      'SELECT n, at_ms, who, source, animals, undone_at_ms FROM imports ORDER BY n DESC LIMIT $1',
      [limit],
    )
    return rows.map(([n, atMs, who, source, animals, undoneAtMs]) => ({
      n: BigInt(n ?? ''),
      atMs: Number(atMs),
      who: who ?? '',
      source: source ?? '',
      animals: Number(animals),
      undoneAtMs: typeof undoneAtMs === 'string' ? Number(undoneAtMs) : undefined,
    }))
  }

  undo(n: bigint, by: Author): Promise<Undone | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      const [found] = await query(
        'UPDATE imports SET undone_at_ms = $2::bigint WHERE n = $1::bigint AND undone_at_ms IS NULL RETURNING animals',
        [n, by.atMs],
      )
      if (found === undefined) return undefined
      const [row] = await query(UNDO, [n, by.atMs])
      const removed = Number(row?.[0])
      await enter(query, by, 'undo import', [{ from: `{"import":${n},"animals":${removed}}` }])
      return { removed, kept: Number(found[0]) - removed }
    })
  }
}

async function addStaged(query: Query, animals: number, { by, source, withIds }: ImportOptions): Promise<bigint> {
  const ranges = await query(withIds ? add('id, ', 'pet_id, ') : add('', ''))
  if (withIds) {
    await query(
      "SELECT setval('pet_ids', last_id) FROM (SELECT max(pet_id) AS last_id FROM staged) AS brought, pet_ids WHERE last_id > last_value OR (last_id > 0 AND NOT is_called)",
    )
  }
  const [row] = await query('INSERT INTO imports (at_ms, who, source, animals) VALUES ($1, $2, $3, $4) RETURNING n', [
    by.atMs,
    by.who,
    source,
    animals,
  ])
  const n = BigInt(row?.[0] ?? '')
  await query('INSERT INTO import_ranges SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bigint[])', [
    n,
    ranges.map(([first]) => first),
    ranges.map(([, last]) => last),
  ])
  await enter(query, by, 'import', [{ to: `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}` }])
  return n
}
