/**
 * Imports: many animals that appear at the same instant or not at all. An import has a number, by which its animals can
 * be removed again unless they were changed since. Both are one transaction. Whoever creates animals in an embedded
 * database waits meanwhile: some tenths of a second for a hundred thousand animals.
 */
import { fold } from '../common/fold.ts'
import type { NewPet } from '../contract/schemas.ts'
import { removePets } from './animals.ts'
import type { Author } from './author.ts'
import { KEPT_SHOWN, TAKEN_SHOWN } from './bounds.ts'
import { nameNewCategories } from './categories.ts'
import { importedValues, undoneValues, write } from './journal.ts'
import {
  big,
  type Cell,
  type Columns,
  type Database,
  each,
  foldedOf,
  hold,
  int,
  numberOf,
  optionalInt,
  type Sql,
  text,
} from './sql.ts'
import { type Undone, undoSync } from './sync.ts'

/** An animal to add; with an id if the import keeps ids (an export that is read back). */
export type ImportedPet = NewPet & {
  readonly id?: bigint
  /** The day on which it came, since 1970. */
  readonly cameOn?: number
  /** The name that the file gives its category, which has none yet. If it has one by the commit, nothing is imported. */
  readonly newCategory?: string
}

export interface ImportOptions {
  readonly by: Author
  /** The source of the animals, as `pets imports` shows it. */
  readonly source: string
  /** Every animal keeps the id that it has in the file; ids assigned later are greater. */
  readonly withIds: boolean
  /**
   * Also imports animals whose name and category exist already. Animals with ids from the file are never taken for
   * duplicates.
   */
  readonly allowDuplicates: boolean
  /** Where duplicates are not allowed: imports the others, rather than nothing. */
  readonly leaveOutDuplicates?: boolean
  /** Reports what would happen and imports nothing. */
  readonly dryRun: boolean
}

export interface ImportOutcome {
  /** The number of the import; undefined if nothing was imported. */
  readonly n: bigint | undefined
  /** The number of animals in `batches`. */
  readonly animals: number
  /** The number of them that exist already by name and category; not counted if duplicates are allowed. */
  readonly duplicates: number
  /** Some of their ids that are taken or appear twice; if there are any, nothing is imported. */
  readonly taken: readonly bigint[]
}

export interface ImportRecord {
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly source: string
  readonly animals: number
  /** Unix ms. */
  readonly undoneAtMs: number | undefined
}

const STAGED: Columns = {
  name: 'text',
  category_id: 'bigint',
  status: 'text',
  pet_id: 'bigint',
  folded: 'text',
  kind: 'text',
  came_on: 'bigint',
}

const TABLES = [
  // `kind`: the name as it is compared.
  'staged (place integer PRIMARY KEY, name text, category_id bigint, status text, pet_id bigint, folded text, kind text, came_on bigint)',
  'there (place integer)',
]

const TAKEN = `
  SELECT pet_id FROM staged WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
  UNION SELECT pet_id FROM staged GROUP BY pet_id HAVING count(*) > 1
  ORDER BY 1 LIMIT ${TAKEN_SHOWN}`

/** An entry of the journal about an import or a sync. Earlier entries of its ids are about other animals. */
const ENTRY = `SELECT n FROM journal WHERE act = $1 AND pet_id IS NULL AND key_id IS NULL AND to_values LIKE $2
  ORDER BY n DESC LIMIT 1`

/** Animals of an import that nobody has changed since. Bound: its number, and that of its entry. */
const IN_RANGES = '(SELECT first_id, last_id FROM import_ranges WHERE import_n = $1) AS ranges'
const UNCHANGED = `pets.id IN (SELECT pets.id FROM ${IN_RANGES} JOIN pets ON pets.id BETWEEN first_id AND last_id)
  AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = pets.id AND n > $2)`
const CHANGED = `SELECT DISTINCT pet_id FROM ${IN_RANGES} JOIN journal ON pet_id BETWEEN first_id AND last_id
  WHERE n > $2 ORDER BY pet_id LIMIT ${KEPT_SHOWN}`

export class Imports {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Adds all animals, in order, or none, also if `batches` or the engine fails. Of two imports at once the second one
   * finds the duplicates among the animals of the first. Throws StoreUnusable, StoreUnavailable, or what `batches`
   * throws.
   */
  async add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    const { withIds, allowDuplicates, leaveOutDuplicates = false, dryRun } = options
    const outcome = await this.#db.bulk(TABLES, async (sql, begin) => {
      const { animals, newCategories } = await this.#stage(sql, batches)
      if (!dryRun) await begin()
      for (;;) {
        const taken = withIds ? (await sql(TAKEN)).map(([id]) => big(id)) : []
        const duplicates = withIds || allowDuplicates ? 0 : await this.#findDuplicates(sql)
        const wanted = leaveOutDuplicates ? animals - duplicates : animals
        const isRefused = dryRun || wanted === 0 || taken.length > 0 || (duplicates > 0 && !leaveOutDuplicates)
        const n = isRefused ? undefined : await this.#addStaged(sql, wanted, options, newCategories)
        if (isRefused || n !== undefined) return { n, animals, duplicates, taken }
      }
    })
    if (outcome.n !== undefined) await this.#db.grown('pets', outcome.animals)
    return outcome
  }

  async #stage(sql: Sql, batches: AsyncIterable<readonly ImportedPet[]>) {
    let animals = 0
    const newCategories = new Map<bigint, string>()
    const names = Object.keys(STAGED)
    for await (const pets of batches) {
      const rows = pets.map(({ name, categoryId, status, id, cameOn }): Cell[] => [
        ...[name, categoryId, status ?? null, id ?? null, foldedOf(name), fold(name)],
        cameOn === undefined ? null : BigInt(cameOn),
      ])
      const given = this.#db.dialect.given(STAGED, rows, 2)
      await sql(`INSERT INTO staged (place, ${names}) SELECT CAST($1 AS bigint) + place, ${names} FROM ${given.from}`, [
        animals,
        ...given.values,
      ])
      animals += pets.length
      for (const { categoryId, newCategory } of pets) if (newCategory) newCategories.set(categoryId, newCategory)
    }
    await each(sql, this.#db.dialect.analyze('staged'))
    return { animals, newCategories }
  }

  /** How many of the staged animals are there already, by name and category. */
  async #findDuplicates(sql: Sql): Promise<number> {
    if ((await sql('SELECT 1 FROM pets LIMIT 1')).length === 0) return 0
    await sql('CREATE INDEX IF NOT EXISTS staged_by_kind ON staged (kind, category_id)')
    await sql('DELETE FROM there')
    const name = this.#db.dialect.folded('pets.name', 'pets.folded')
    await sql(`
      INSERT INTO there SELECT DISTINCT place FROM pets CROSS JOIN staged
      WHERE staged.kind = ${name} AND staged.category_id = pets.category_id`)
    return numberOf(sql, 'SELECT count(*) FROM there')
  }

  /** Returns the number of the import; undefined, and nothing is done, if an id was given away since it was checked. */
  async #addStaged(
    sql: Sql,
    animals: number,
    options: ImportOptions,
    newCategories: ReadonlyMap<bigint, string>,
  ): Promise<bigint | undefined> {
    const { withIds, source } = options
    const { dialect } = this.#db
    const by = { ...options.by }
    await sql('SAVEPOINT adding')
    await sql('DELETE FROM staged WHERE place IN (SELECT place FROM there)')
    if (withIds) await dialect.giveIdsAfter(sql, big((await sql('SELECT max(pet_id) FROM staged'))[0]?.[0]))
    else await sql(dialect.giveIds('staged', 'true'))
    // In the order of ids as creates are, so that neither deadlocks with the other.
    const insert = `
      INSERT INTO pets (id, name, category_id, status, folded)
      SELECT pet_id, name, category_id, status, folded FROM staged WHERE true ORDER BY pet_id`
    if (!withIds) await sql(insert)
    else if ((await sql(`${insert} ON CONFLICT DO NOTHING RETURNING 1`)).length < animals) {
      await sql('ROLLBACK TO SAVEPOINT adding')
      return undefined
    }
    await sql('INSERT INTO arrivals SELECT pet_id, came_on FROM staged WHERE came_on IS NOT NULL')
    await each(sql, dialect.counted('staged'))
    await nameNewCategories(this.#db, sql, newCategories, by)
    const add = 'INSERT INTO imports (at_ms, who, source, animals) VALUES ($1, $2, $3, $4) RETURNING n'
    const n = big((await sql(add, [by.atMs, by.who, source, animals]))[0]?.[0])
    await sql(
      `INSERT INTO import_ranges SELECT CAST($1 AS bigint), min(pet_id), max(pet_id)
       FROM (SELECT pet_id, pet_id - row_number() OVER (ORDER BY pet_id) AS run FROM staged) AS runs GROUP BY run`,
      [n],
    )
    await write(this.#db, sql, by, 'import', { to: importedValues(n, animals, source) })
    return n
  }

  /** Newest first. */
  async list(limit: number): Promise<readonly ImportRecord[]> {
    const rows = await this.#db.read(
      'SELECT n, at_ms, who, source, animals, undone_at_ms FROM imports ORDER BY n DESC LIMIT $1',
      [limit],
    )
    return rows.map(([n, atMs, who, source, animals, undoneAtMs]) => ({
      ...{ n: big(n), atMs: int(atMs), who: text(who), source: text(source), animals: int(animals) },
      undoneAtMs: optionalInt(undoneAtMs),
    }))
  }

  /** The sources of imports by their numbers. */
  async named(ns: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const rows = await this.#db.read(`SELECT n, source FROM imports WHERE ${this.#db.dialect.isIn('n', 1)}`, [ns])
    return new Map(rows.map(([n, source]) => [big(n), text(source)]))
  }

  /**
   * Removes exactly the animals of the import that nobody has changed since; they can be restored like any removed
   * animal. Undefined if there is no such import, or it is already undone. Of a sync, the animals that were there
   * before are put back as they were. A dry run says what would be done.
   */
  undo(n: bigint, author: Author, { dryRun = false } = {}): Promise<Undone | undefined> {
    const by = { ...author }
    return this.#db.write(async (sql) => {
      const isOpen = 'n = $1 AND undone_at_ms IS NULL'
      const [found] = dryRun
        ? await sql(`SELECT animals FROM imports WHERE ${isOpen}`, [n])
        : await sql(`UPDATE imports SET undone_at_ms = $2 WHERE ${isOpen} RETURNING animals`, [n, by.atMs])
      if (found === undefined) return undefined
      const animals = int(found[0])
      const said = `{"import":${n},%`
      const [ofSync] = await sql(ENTRY, ['sync', said])
      if (ofSync !== undefined) return undoSync(this.#db, sql, { n, entryN: big(ofSync[0]), animals, by, dryRun })
      const [entry] = await sql(ENTRY, ['import', said])
      const values = [n, big(entry?.[0])]
      // Waits for changes under way; the next statement then sees their journal entries.
      if (!dryRun) await hold(this.#db, sql, 'pets', UNCHANGED, values)
      const removed = await numberOf(sql, `SELECT count(*) FROM pets WHERE ${UNCHANGED}`, values)
      const told = { removed, kept: animals - removed }
      if (dryRun) return { ...told, keptIds: (await sql(CHANGED, values)).map(([id]) => big(id)) }

      await removePets(sql, UNCHANGED, values, by.atMs)
      const undoes = entry && big(entry[0])
      await write(this.#db, sql, by, 'undo import', { from: undoneValues(n, removed), undoes })
      return told
    })
  }
}
