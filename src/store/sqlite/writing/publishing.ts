/**
 * An import in steps, so that no other writer waits long while a million animals are added, and still all of them
 * appear at the same instant, in order, or none does. The animals are staged in a temporary table, which blocks nobody;
 * then their ids are reserved and they are copied in small steps, invisible (`unfinished_imports`); finally that row is
 * deleted, which makes all of them visible. What a crash leaves behind is invisible, and the next import deletes it.
 */

import type { Author } from '../../author.ts'
import { TAKEN_SHOWN } from '../../rules/bounds.ts'
import { importedValues } from '../../rules/journal.ts'
import { gatheredSource, rangesOfKey, toMinute } from '../../rules/origins.ts'
import { StoreUnusable } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { type IdRange, IS_THERE, LAST_GIVEN_ID } from '../rows/pets.ts'
import { journalWriter } from './journal.ts'
import { nameNewCategories } from './naming/categories.ts'
import { countWriter, SHOW_RANGE } from './pets.ts'

/** The unfinished imports without the ranges that an undo hides. */
const OF_IMPORTS = 'unfinished_imports WHERE first_id NOT IN (SELECT first_id FROM undone_ranges)'

/** Only an import that could not see the claim of this one does that. */
const TAKEN_BACK =
  'Another import that ran at the same time has removed the animals of this one; nothing was imported. Wait for its end and import again.'

/** What is recorded of an import. */
export interface ImportFacts {
  readonly by: Author
  readonly source: string
  readonly animals: number
  readonly newCategories: ReadonlyMap<bigint, string>
}

/** The number of an import with ids; undefined if ids are taken. */
export interface Put {
  readonly n: bigint | undefined
  readonly taken: readonly bigint[]
}

export function importWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const addImport = importAdder(connection)

  /** Counts the animals of an import, whose ids are `ranges`, and gives it a number. */
  const record = (
    counts: ReadonlyMap<string, number>,
    { by, source, animals, newCategories }: ImportFacts,
    ranges: readonly (readonly [bigint, bigint])[],
  ): bigint => {
    nameNewCategories(connection, newCategories, by)
    const addToCount = countWriter(connection)
    for (const [status, n] of counts) addToCount(status, n)
    const n = addImport(ranges, [BigInt(by.atMs), by.who, source, BigInt(animals)])
    enter(by, 'import', { to: importedValues(n, animals, source) })
    return n
  }

  const giveIdsAfter = (id: bigint): void => {
    connection.prepare("DELETE FROM sqlite_sequence WHERE name = 'pets'").run()
    connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
  }

  return {
    /** Ids given from now on are greater than `id`. */
    giveIdsAfter(id: bigint): void {
      const [last] = connection.prepare(LAST_GIVEN_ID).get() as unknown as [bigint]
      if (id > last) giveIdsAfter(id)
    },

    /**
     * Adds the staged animals with the ids that they bring; ids assigned later are greater. Adds none if some of the
     * ids are taken by now, or twice there: then at most TAKEN_SHOWN of them are returned.
     */
    putStaged(counts: ReadonlyMap<string, number>, facts: ImportFacts): Put {
      const taken = stagedIdsTaken(connection, TAKEN_SHOWN)
      if (taken.length > 0) return { n: undefined, taken }
      connection.exec(`
        INSERT INTO pets (id, name, category_id, status)
        SELECT pet_id, name, category_id, status FROM temp.staged ORDER BY pet_id;
        INSERT OR IGNORE INTO changed_names SELECT pet_id FROM temp.staged, pet_search WHERE pet_id <= indexed_to`)
      const ranges = connection.prepare(`
        SELECT min(pet_id), max(pet_id)
        FROM (SELECT pet_id, pet_id - row_number() OVER (ORDER BY pet_id) AS run FROM temp.staged) GROUP BY run`)
      return { n: record(counts, facts, ranges.all() as unknown as [bigint, bigint][]), taken }
    },

    /** Reserves `count` ids for an import; animals created from now on have greater ones. Returns the first. */
    reserveIds(count: number): bigint {
      const [last] = connection.prepare(LAST_GIVEN_ID).get() as unknown as [bigint]
      const range = [last + 1n, last + BigInt(count)] as const
      connection.prepare('INSERT INTO unfinished_imports VALUES (?, ?)').run(...range)
      giveIdsAfter(range[1])
      return range[0]
    },

    /** Copies the staged animals `from` to `to`, counted from 1, to their ids. Throws StoreUnusable. */
    copyStaged(firstId: bigint, from: number, to: number): void {
      const own = connection.prepare('SELECT 1 FROM unfinished_imports WHERE first_id = ?').get(firstId)
      if (own === undefined) throw new StoreUnusable(TAKEN_BACK)
      const insert = connection.prepare(`
        INSERT INTO pets (id, name, category_id, status)
        SELECT ? + id, name, category_id, status FROM temp.staged WHERE id BETWEEN ? AND ? ORDER BY id`)
      insert.run(firstId - 1n, from, to)
    },

    /**
     * Publishes all animals of an import; `counts` are their numbers by status. Returns the number of the import.
     * Throws StoreUnusable.
     */
    publishImport(firstId: bigint, counts: ReadonlyMap<string, number>, facts: ImportFacts): bigint {
      const own = connection.prepare(SHOW_RANGE).run(firstId)
      if (Number(own.changes) !== 1) throw new StoreUnusable(TAKEN_BACK)
      return record(counts, facts, [[firstId, firstId + BigInt(facts.animals) - 1n]])
    },

    unfinishedImports(): readonly IdRange[] {
      const rows = connection.prepare(`SELECT first_id, last_id FROM ${OF_IMPORTS}`).all()
      return (rows as unknown as [bigint, bigint][]).map(([first, last]) => ({ first, last }))
    },

    /** Deletes some of the animals of an unfinished import, at most `limit`; false if none are left. */
    removeUnfinished({ first, last }: IdRange, limit: number): boolean {
      const remove = connection.prepare(
        'DELETE FROM pets WHERE id IN (SELECT id FROM pets WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)',
      )
      if (Number(remove.run(first, last, limit).changes) > 0) return true
      connection.prepare(SHOW_RANGE).run(first)
      return false
    },
  }
}

export function gatheringWrites(connection: Connection) {
  const addImport = importAdder(connection)
  return {
    /** See `PetOrigins.gather`. The journal has no entry of it, so for an undo any change of an animal counts. */
    gatherCreated(keyId: string, sinceMs: number, by: Author): bigint | undefined {
      const ranges = connection.prepare(rangesOfKey((n) => `?${n}`, IS_THERE)).all(keyId, toMinute(sinceMs))
      const found = ranges as unknown as [bigint, bigint][]
      if (found.length === 0) return undefined
      const animals = found.reduce((sum, [first, last]) => sum + last - first + 1n, 0n)
      return addImport(found, [BigInt(by.atMs), by.who, gatheredSource(keyId, sinceMs), animals])
    },
  }
}

/** Gives an import its number. */
function importAdder(connection: Connection) {
  return (
    ranges: readonly (readonly [bigint, bigint])[],
    values: readonly [atMs: bigint, who: string, source: string, animals: bigint],
  ): bigint => {
    const add = connection.prepare('INSERT INTO imports (at_ms, who, source, animals) VALUES (?, ?, ?, ?)')
    const n = BigInt(add.run(...values).lastInsertRowid)
    const addRange = connection.prepare('INSERT INTO import_ranges VALUES (?, ?, ?)')
    for (const [first, last] of ranges) addRange.run(n, first, last)
    return n
  }
}

/** At most `limit` of the staged ids that an animal has or had, or that are staged twice. */
export function stagedIdsTaken(connection: Connection, limit: number): readonly bigint[] {
  const select = connection.prepare(`
    SELECT pet_id FROM temp.staged WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
    UNION SELECT pet_id FROM temp.staged GROUP BY pet_id HAVING count(*) > 1
    ORDER BY pet_id LIMIT ? + 0`)
  return (select.all(limit) as unknown as [bigint][]).map(([id]) => id)
}
