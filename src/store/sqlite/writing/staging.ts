/** Where an import gathers its animals before any of them is added: a temporary table, which blocks nobody. */
import type { Connection } from '../file/connection.ts'
import { type FlatPets, IS_THERE, STAGED_VALUES } from '../rows/pets.ts'
import { KindFilter, LETTERS } from './kind-filter.ts'
import { stagedIdsTaken } from './publishing.ts'

/** A statement for several rows takes a third of the time of several statements. */
const ROWS_PER_INSERT = 20

const DROP = `
  DROP TABLE IF EXISTS temp.staged;
  DROP TABLE IF EXISTS temp.others;
  DROP TABLE IF EXISTS temp.there`

const COLUMNS = 'id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT, pet_id INTEGER'
const IS_NOTED = 'EXISTS (SELECT 1 FROM temp.there WHERE name = staged.name AND category_id = staged.category_id)'

export function stagingWrites(connection: Connection) {
  let kinds = new KindFilter()

  const insert = (rows: number) => {
    const values = Array<string>(rows).fill('(?, ?, ?, ?)').join()
    return connection.prepare(`INSERT INTO temp.staged (name, category_id, status, pet_id) VALUES ${values}`)
  }

  return {
    beginStaging(): void {
      connection.exec(`${DROP};
        CREATE TEMP TABLE staged (${COLUMNS});
        CREATE TEMP TABLE others (${COLUMNS});
        CREATE TEMP TABLE there (name TEXT, category_id INTEGER, PRIMARY KEY (name, category_id)) WITHOUT ROWID`)
      kinds = new KindFilter()
    },

    /** With `countsKinds`, animals of the same kinds can be found afterwards. */
    stage(pets: FlatPets, countsKinds: boolean): void {
      let at = 0
      for (const rows of [ROWS_PER_INSERT, 1]) {
        const add = insert(rows)
        const length = rows * STAGED_VALUES
        for (; at + length <= pets.length; at += length) add.run(...pets.slice(at, at + length))
      }
      if (!countsKinds) return
      for (let i = 0; i < pets.length; i += STAGED_VALUES) {
        kinds.add(pets[i] as string, Number(BigInt.asUintN(32, pets[i + 1] as bigint)))
      }
    },

    /**
     * Notes the names and categories of the next `limit` animals after this one that may be staged too. Returns the
     * last of these animals, undefined if there were none.
     */
    findStagedKinds(after: bigint, limit: number): bigint | undefined {
      // Halves of an id, because reading it as a bigint takes as long as all the rest.
      const select = connection.prepare(`
        SELECT id >> 32, id & 0xffffffff, substr(name, 1, ${LETTERS}), category_id & 0xffffffff
        FROM pets WHERE id > ? ORDER BY id LIMIT ? + 0`)
      const note = connection.prepare(
        `INSERT OR IGNORE INTO temp.there SELECT name, category_id FROM pets WHERE id = ? AND ${IS_THERE}`,
      )
      const rows = select.readNumbers().all(after, limit) as unknown as [
        high: number,
        low: number,
        start: string,
        category: number,
      ][]
      for (const [high, low, start, category] of rows) if (kinds.mayHold(start, category)) note.run(whole(high, low))
      const [high, low] = rows.at(-1) ?? []
      return high === undefined || low === undefined ? undefined : whole(high, low)
    },

    /**
     * The number of the staged animals `from` to `to`, counted from 1, with a name and category that has been noted.
     */
    countStagedDuplicates(from: number, to: number): number {
      const count = connection.prepare(`
        SELECT count(*) FROM temp.staged
        WHERE id BETWEEN ? AND ? AND EXISTS (SELECT 1 FROM temp.there)
          AND ${IS_NOTED}`)
      const [n] = count.get(from, to) as unknown as [bigint]
      return Number(n)
    },

    /** Notes those of the staged animals `from` to `to` that are not there already; their numbers by status. */
    findOthers(from: number, to: number): [status: string, n: number][] {
      connection
        .prepare(`
          INSERT INTO temp.others (name, category_id, status)
          SELECT name, category_id, status FROM temp.staged
          WHERE id BETWEEN ? AND ? AND NOT ${IS_NOTED} ORDER BY id`)
        .run(from, to)
      const count = connection.prepare(`
        SELECT coalesce(status, 'none'), count(*) FROM temp.staged
        WHERE id BETWEEN ? AND ? AND NOT ${IS_NOTED} GROUP BY status`)
      return (count.all(from, to) as unknown as [string, bigint][]).map(([status, n]) => [status, Number(n)])
    },

    /** The noted ones are staged in place of all, and counted from 1 on. */
    stageOthers(): void {
      connection.exec('DROP TABLE temp.staged; ALTER TABLE temp.others RENAME TO staged')
    },

    stagedIdsTaken: (limit: number): readonly bigint[] => stagedIdsTaken(connection, limit),

    endStaging(): void {
      connection.exec(DROP)
      kinds = new KindFilter()
    },
  }
}

function whole(high: number, low: number): bigint {
  return (BigInt(high) << 32n) + BigInt(low)
}
