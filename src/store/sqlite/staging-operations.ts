/** Where an import gathers its animals before any of them is added: a temporary table, which blocks nobody. */
import type { Connection } from './connection.ts'
import { IS_THERE } from './import-operations.ts'
import { FLAT_PET, type FlatPets } from './operations.ts'

const DROP = `
  DROP TABLE IF EXISTS temp.staged;
  DROP TABLE IF EXISTS temp.staged_kinds;
  DROP TABLE IF EXISTS temp.staged_found`

export function stagingOperations(connection: Connection) {
  return {
    beginStaging(): void {
      connection.exec(`${DROP};
        CREATE TEMP TABLE staged (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT, pet_id INTEGER);
        CREATE TEMP TABLE staged_kinds (
          id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, n INTEGER, UNIQUE (name, category_id)
        );
        CREATE TEMP TABLE staged_found (id INTEGER PRIMARY KEY)`)
    },

    /** `ids` are the animals' own ids, if the import keeps ids. With `countsKinds`, duplicates can be found afterwards. */
    stage(pets: FlatPets, ids: readonly bigint[], countsKinds: boolean): void {
      const insert = connection.prepare(
        'INSERT INTO temp.staged (name, category_id, status, pet_id) VALUES (?, ?, ?, ?)',
      )
      const note = connection.prepare(
        'INSERT INTO temp.staged_kinds (name, category_id, n) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1',
      )
      for (let i = 0; i < pets.length; i += FLAT_PET) {
        const [name, categoryId] = [pets[i] ?? '', pets[i + 1] ?? 0n]
        insert.run(name, categoryId, pets[i + 2] ?? null, ids[i / FLAT_PET] ?? null)
        if (countsKinds) note.run(name, categoryId)
      }
    },

    /**
     * Looks among the next `limit` animals after this one for names and categories that are staged too. Returns the last
     * of them, undefined if there were none.
     */
    findStagedDuplicates(after: bigint, limit: number): bigint | undefined {
      const end = connection.prepare('SELECT max(id) FROM (SELECT id FROM pets WHERE id > ? ORDER BY id LIMIT ? + 0)')
      const [last] = end.get(after, limit) as unknown as [bigint | null]
      if (last === null) return undefined
      const find = connection.prepare(`
        INSERT OR IGNORE INTO temp.staged_found SELECT staged_kinds.id
        FROM pets CROSS JOIN temp.staged_kinds USING (name, category_id)
        WHERE pets.id > ? AND pets.id <= ? AND ${IS_THERE}`)
      find.run(after, last)
      return last
    },

    /** The number of staged animals with the name and the category of one that `findStagedDuplicates` has seen. */
    countStagedDuplicates(): number {
      const select = connection.prepare(
        'SELECT coalesce(sum(n), 0) FROM temp.staged_found JOIN temp.staged_kinds USING (id)',
      )
      const [n] = select.get() as unknown as [bigint]
      return Number(n)
    },

    /** At most `limit` of the staged ids that an animal has or had, or that are staged twice. */
    stagedIdsTaken(limit: number): readonly bigint[] {
      const select = connection.prepare(`
        SELECT pet_id FROM temp.staged WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
        UNION SELECT pet_id FROM temp.staged GROUP BY pet_id HAVING count(*) > 1
        ORDER BY pet_id LIMIT ? + 0`)
      return (select.all(limit) as unknown as [bigint][]).map(([id]) => id)
    },

    endStaging(): void {
      connection.exec(DROP)
    },
  }
}
