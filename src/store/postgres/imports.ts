/**
 * Imports into PostgreSQL: one transaction, so all animals appear at the same instant or not at all, and no request
 * waits for it. Of two imports at once the second one adds its animals after the first, and finds the duplicates among
 * them.
 */

import type { Author } from '../author.ts'
import type { ImportedPet, ImportOptions, ImportOutcome, ImportRecord, PetImports, Undone } from '../imports.ts'
import { TAKEN_SHOWN } from '../rules/bounds.ts'
import { importedValues, undoneValues } from '../rules/journal.ts'
import type { Database } from './connection/database.ts'
import type { Query } from './connection/query.ts'
import { giveIdsAfter } from './ids.ts'
import { enter } from './journal.ts'
import { nameNewCategories } from './naming/category-names.ts'
import { TURN } from './turn.ts'
import { undoSync } from './undo-sync.ts'

const STAGE = `
  INSERT INTO staged (name, category_id, status, pet_id)
  SELECT name, category_id, status, pet_id
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) WITH ORDINALITY AS pet (name, category_id, status, pet_id, place)
  ORDER BY place`

const DUPLICATES = `
  SELECT count(*) FROM staged
  WHERE EXISTS (SELECT FROM pets WHERE pets.name = staged.name AND pets.category_id = staged.category_id)`

const LEAVE_OUT = `
  WITH gone AS (
    DELETE FROM staged USING pets WHERE pets.name = staged.name AND pets.category_id = staged.category_id RETURNING place
  )
  SELECT count(*) FROM gone`

const TAKEN = `
  SELECT pet_id FROM staged WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
  UNION SELECT pet_id FROM staged GROUP BY pet_id HAVING count(*) > 1
  ORDER BY pet_id LIMIT $1`

/** Adds staged animals and returns their ids as ranges, and the number of each. */
const add = (insert: string) => `
  WITH added AS (${insert} RETURNING id)
  SELECT min(id), max(id), count(*)
  FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS run FROM added) AS runs GROUP BY run`

const ADD = add(
  'INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM staged ORDER BY place',
)

/** Leaves out ids given away meanwhile. Ordered as creates are, so that neither deadlocks with the other. */
const ADD_WITH_IDS = add(`
  INSERT INTO pets (id, name, category_id, status) SELECT pet_id, name, category_id, status FROM staged ORDER BY pet_id
  ON CONFLICT DO NOTHING`)

/** The journal entry of an import. Earlier entries of these ids are about other animals. */
const ENTRY = `
  SELECT n FROM journal WHERE act = 'import' AND to_values LIKE '{"import":' || $1::bigint || ',%' ORDER BY n DESC LIMIT 1`

const UNCHANGED = `
  import_n = $1::bigint AND pets.id BETWEEN first_id AND last_id
  AND NOT EXISTS (SELECT FROM journal WHERE pet_id = pets.id AND n > $2::bigint)`

/** Locks in the order of every change of animals. */
const HOLD = `
  SELECT count(*) FROM (
    SELECT FROM pets JOIN import_ranges ON true WHERE ${UNCHANGED} ORDER BY pets.id FOR UPDATE OF pets
  ) AS held`

const UNDO = `
  WITH gone AS (
    DELETE FROM pets USING import_ranges WHERE ${UNCHANGED} RETURNING pets.id, pets.name, pets.category_id, pets.status
  ), kept AS (
    INSERT INTO removed_pets SELECT id, name, category_id, status, $3::bigint FROM gone
  )
  SELECT count(*) FROM gone`

/** From this many animals on, the planner's statistics are refreshed after an import. */
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
   * Autovacuum would do it about a minute later. Until then a search within one status among a million animals takes
   * 120 ms and more, instead of 20; ANALYZE takes 0.2 s. Outside of the transaction, since it would wait for an index
   * build, which waits for the transaction. Its failure does not matter to an import that is committed.
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
      if (!options.dryRun) await query(TURN)
      for (;;) {
        const taken = options.withIds ? (await query(TAKEN, [TAKEN_SHOWN])).map(([id]) => BigInt(id ?? '')) : []
        const counts = !options.withIds && !options.allowDuplicates
        const leavesOut = options.leaveOutDuplicates === true
        const duplicates = counts ? Number((await query(leavesOut ? LEAVE_OUT : DUPLICATES))[0]?.[0]) : 0
        const wanted = leavesOut ? animals - duplicates : animals
        const isRefused = options.dryRun || wanted === 0 || taken.length > 0 || (duplicates > 0 && !leavesOut)
        const n = isRefused ? undefined : await addStaged(query, wanted, options)
        if (isRefused || n !== undefined) return { n, animals, duplicates, taken }
      }
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
      const ofSync = await undoSync(query, n, Number(found[0]), by)
      if (ofSync !== undefined) return ofSync
      const [entry] = await query(ENTRY, [n])
      const since = entry?.[0] ?? 0
      // Waits for changes under way; the next statement then sees their journal entries.
      await query(HOLD, [n, since])
      const [row] = await query(UNDO, [n, since, by.atMs])
      const removed = Number(row?.[0])
      await enter(query, by, 'undo import', [{ from: undoneValues(n, removed) }])
      return { removed, kept: Number(found[0]) - removed }
    })
  }
}

/** Returns the number of the import; undefined, and nothing is done, if an id was given away since it was checked. */
async function addStaged(
  query: Query,
  animals: number,
  { by, source, withIds, newCategories = new Map() }: ImportOptions,
): Promise<bigint | undefined> {
  if (withIds) {
    const [last] = await query('SELECT max(pet_id) FROM staged')
    await giveIdsAfter(query, BigInt(last?.[0] ?? ''))
    await query('SAVEPOINT adding')
  }
  const ranges = await query(withIds ? ADD_WITH_IDS : ADD)
  if (ranges.reduce((sum, [, , n]) => sum + Number(n), 0) < animals) {
    await query('ROLLBACK TO SAVEPOINT adding')
    return undefined
  }
  await nameNewCategories(query, newCategories, by)
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
  await enter(query, by, 'import', [{ to: importedValues(n, animals, source) }])
  return n
}
