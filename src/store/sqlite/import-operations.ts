/**
 * An import in steps, so that nobody waits long for the right to write while a million animals come in, and still all of
 * them appear at one instant, in order, or none ever does. They are gathered in a temporary table, where they are in
 * nobody's way; then their ids are reserved and they are copied bit by bit, unseen (`unfinished_imports`); at last that
 * row is removed, and with it they are all there. What a crash leaves behind nobody sees, and the next import removes it.
 */
import type { Connection } from './connection.ts'
import type { FlatPets } from './operations.ts'

/** An animal of an import that is not complete is not there. */
export const IS_THERE = 'NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id)'

export interface UnfinishedImport {
  readonly first: bigint
  readonly last: bigint
}

export function importOperations(connection: Connection) {
  return {
    beginStaging(): void {
      connection.exec(`
        DROP TABLE IF EXISTS temp.staged;
        CREATE TEMP TABLE staged (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT)`)
    },

    stage(pets: FlatPets): void {
      const insert = connection.prepare('INSERT INTO temp.staged (name, category_id, status) VALUES (?, ?, ?)')
      for (let i = 0; i < pets.length; i += 3) insert.run(pets[i] ?? '', pets[i + 1] ?? 0n, pets[i + 2] ?? null)
    },

    endStaging(): void {
      connection.exec('DROP TABLE IF EXISTS temp.staged')
    },

    /** Takes `count` ids for an import; animals created from now on have greater ones. Returns the first. */
    reserveIds(count: number): bigint {
      const select = connection.prepare(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))",
      )
      const [last] = select.get() as unknown as [bigint]
      const range = [last + 1n, last + BigInt(count)] as const
      connection.prepare('INSERT INTO unfinished_imports VALUES (?, ?)').run(...range)
      connection.prepare("DELETE FROM sqlite_sequence WHERE name = 'pets'").run()
      connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(range[1])
      return range[0]
    },

    /** Copies the staged animals `from` to `to`, counted from 1, to their ids. */
    copyStaged(firstId: bigint, from: number, to: number): void {
      const insert = connection.prepare(`
        INSERT INTO pets (id, name, category_id, status)
        SELECT ? + id, name, category_id, status FROM temp.staged WHERE id BETWEEN ? AND ? ORDER BY id`)
      insert.run(firstId - 1n, from, to)
    },

    /** Makes all animals of an import appear; `counts` are theirs by status. */
    publishImport(firstId: bigint, counts: ReadonlyMap<string, number>): void {
      connection.prepare('DELETE FROM unfinished_imports WHERE first_id = ?').run(firstId)
      const addToCount = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
      for (const [status, n] of counts) addToCount.run(n, status)
    },

    unfinishedImports(): readonly UnfinishedImport[] {
      const rows = connection.prepare('SELECT first_id, last_id FROM unfinished_imports').all()
      return (rows as unknown as [bigint, bigint][]).map(([first, last]) => ({ first, last }))
    },

    /** Removes some of the animals of an unfinished import, at most `limit`; false when there are none left. */
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
