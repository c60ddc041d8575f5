/**
 * An import in steps, so that no other writer waits long while a million animals are added, and still all of them
 * appear at the same instant, in order, or none does. The animals are staged in a temporary table, which blocks nobody;
 * then their ids are reserved and they are copied in small steps, invisible (`unfinished_imports`); finally that row is
 * deleted, which makes all of them visible. What a crash leaves behind is invisible, and the next import deletes it.
 */
import type { Author } from '../records.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'

/** An animal of an unfinished import does not exist for readers. */
export const IS_THERE = 'NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id)'

/** Also of animals that are no more; 0 when there was none. */
export const LAST_GIVEN_ID =
  "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))"

export interface UnfinishedImport {
  readonly first: bigint
  readonly last: bigint
}

/** What is recorded of an import. */
export interface ImportFacts {
  readonly by: Author
  readonly source: string
  readonly animals: number
}

export function importOperations(connection: Connection) {
  const enter = journalWriter(connection)

  /** Counts the animals of an import, whose ids are `ranges`, and gives it a number. */
  const record = (
    counts: ReadonlyMap<string, number>,
    { by, source, animals }: ImportFacts,
    ranges: readonly (readonly [bigint, bigint])[],
  ): bigint => {
    const addToCount = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
    for (const [status, n] of counts) addToCount.run(n, status)
    const add = connection.prepare('INSERT INTO imports (at_ms, who, source, animals) VALUES (?, ?, ?, ?)')
    const n = BigInt(add.run(BigInt(by.atMs), by.who, source, BigInt(animals)).lastInsertRowid)
    const addRange = connection.prepare('INSERT INTO import_ranges VALUES (?, ?, ?)')
    for (const [first, last] of ranges) addRange.run(n, first, last)
    enter(by, 'import', { to: `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}` })
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

    /** Adds the staged animals with the ids that they bring; ids assigned later are greater. */
    putStaged(counts: ReadonlyMap<string, number>, facts: ImportFacts): bigint {
      connection.exec(`
        INSERT INTO pets (id, name, category_id, status)
        SELECT pet_id, name, category_id, status FROM temp.staged ORDER BY pet_id`)
      const ranges = connection.prepare(`
        SELECT min(pet_id), max(pet_id)
        FROM (SELECT pet_id, pet_id - row_number() OVER (ORDER BY pet_id) AS run FROM temp.staged) GROUP BY run`)
      return record(counts, facts, ranges.all() as unknown as [bigint, bigint][])
    },

    /** Reserves `count` ids for an import; animals created from now on have greater ones. Returns the first. */
    reserveIds(count: number): bigint {
      const [last] = connection.prepare(LAST_GIVEN_ID).get() as unknown as [bigint]
      const range = [last + 1n, last + BigInt(count)] as const
      connection.prepare('INSERT INTO unfinished_imports VALUES (?, ?)').run(...range)
      giveIdsAfter(range[1])
      return range[0]
    },

    /** Copies the staged animals `from` to `to`, counted from 1, to their ids. */
    copyStaged(firstId: bigint, from: number, to: number): void {
      const insert = connection.prepare(`
        INSERT INTO pets (id, name, category_id, status)
        SELECT ? + id, name, category_id, status FROM temp.staged WHERE id BETWEEN ? AND ? ORDER BY id`)
      insert.run(firstId - 1n, from, to)
    },

    /** Publishes all animals of an import; `counts` are their numbers by status. Returns the number of the import. */
    publishImport(firstId: bigint, counts: ReadonlyMap<string, number>, facts: ImportFacts): bigint {
      connection.prepare('DELETE FROM unfinished_imports WHERE first_id = ?').run(firstId)
      return record(counts, facts, [[firstId, firstId + BigInt(facts.animals) - 1n]])
    },

    unfinishedImports(): readonly UnfinishedImport[] {
      const rows = connection.prepare('SELECT first_id, last_id FROM unfinished_imports').all()
      return (rows as unknown as [bigint, bigint][]).map(([first, last]) => ({ first, last }))
    },

    /** Deletes some of the animals of an unfinished import, at most `limit`; false if none are left. */
    removeUnfinished({ first, last }: UnfinishedImport, limit: number): boolean {
      const remove = connection.prepare(
        'DELETE FROM pets WHERE id IN (SELECT id FROM pets WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)',
      )
      if (Number(remove.run(first, last, limit).changes) > 0) return true
      connection.prepare('DELETE FROM unfinished_imports WHERE first_id = ?').run(first)
      return false
    },
  }
}
