/** Where an import gathers its animals before any of them is added: a temporary table, which blocks nobody. */
import type { Connection } from './connection.ts'
import { FLAT_PET, type FlatPets } from './flat-pets.ts'
import { IS_THERE } from './import-operations.ts'

export function stagingOperations(connection: Connection) {
  return {
    beginStaging(): void {
      connection.exec(`
        DROP TABLE IF EXISTS temp.staged;
        CREATE TEMP TABLE staged (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT, pet_id INTEGER)`)
    },

    /** `ids` are the animals' own ids, if the import keeps ids. */
    stage(pets: FlatPets, ids: readonly bigint[]): void {
      const insert = connection.prepare(
        'INSERT INTO temp.staged (name, category_id, status, pet_id) VALUES (?, ?, ?, ?)',
      )
      for (let i = 0; i < pets.length; i += FLAT_PET) {
        insert.run(pets[i] ?? '', pets[i + 1] ?? 0n, pets[i + 2] ?? null, ids[i / FLAT_PET] ?? null)
      }
    },

    /** The number of staged animals with the name and the category of an existing one. Reads the table once. */
    countStagedDuplicates(): number {
      if (connection.prepare('SELECT 1 FROM pets LIMIT 1').get() === undefined) return 0
      connection.exec(`
        DROP TABLE IF EXISTS temp.staged_kinds;
        CREATE TEMP TABLE staged_kinds (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, n INTEGER);
        INSERT INTO staged_kinds (name, category_id, n) SELECT name, category_id, count(*) FROM temp.staged GROUP BY 1, 2;
        CREATE UNIQUE INDEX temp.staged_kinds_by_name ON staged_kinds (name, category_id)`)
      const select = connection.prepare(`
        SELECT coalesce(sum(n), 0) FROM temp.staged_kinds WHERE id IN (
          SELECT staged_kinds.id FROM pets CROSS JOIN temp.staged_kinds USING (name, category_id) WHERE ${IS_THERE}
        )`)
      const [n] = select.get() as unknown as [bigint]
      connection.exec('DROP TABLE temp.staged_kinds')
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
      connection.exec('DROP TABLE IF EXISTS temp.staged')
    },
  }
}
