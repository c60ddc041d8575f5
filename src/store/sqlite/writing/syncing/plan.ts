/** Where a sync stages its rows and finds what is to be done: temporary tables, which block nobody. */
import {
  CHANGE,
  CHANGES_SHOWN,
  type ChangeRow,
  COUNT_ALIKE,
  COUNT_PLAN,
  COUNT_REFERENCED,
  FIND_KINDS,
  findAlike,
  HAS_REPEATED,
  INDEX_LINES,
  INDEX_ROWS,
  LEAVE_OUT_REPEATS,
  makePlan,
  REPEATED,
  SYNC_TABLES,
  type SyncPlan,
  toChange,
  toCounts,
} from '../../../rules/sync.ts'
import type { SyncOptions } from '../../../sync.ts'
import type { Connection } from '../../file/connection.ts'
import { type FlatPets, IS_THERE } from '../../rows/pets.ts'

/** The values of a staged row. */
const ROW_VALUES = 6
/** A statement for several rows takes a third of the time of several statements. */
const ROWS_PER_INSERT = 20

const TABLES = SYNC_TABLES.map((table) => table.slice(0, table.indexOf(' ')))
const DROP = TABLES.map((name) => `DROP TABLE IF EXISTS temp.${name}`).join('; ')

export function syncPlanning(connection: Connection) {
  const counted = (sql: string) =>
    (connection.prepare(sql).all() as unknown as [string, bigint][]).map(([text, n]) => [text, Number(n)] as const)

  return {
    beginSync(): void {
      connection.exec(`${DROP}; ${SYNC_TABLES.map((table) => `CREATE TEMP TABLE ${table}`).join('; ')};
        CREATE INDEX temp.sync_kinds_by_name ON sync_kinds (name, category_id);
        CREATE INDEX temp.sync_alike_by_reference ON sync_alike (reference)`)
    },

    stageRows(rows: FlatPets): void {
      let at = 0
      for (const together of [ROWS_PER_INSERT, 1]) {
        const values = Array<string>(together).fill('(?, ?, ?, ?, ?, ?)').join()
        const add = connection.prepare(`INSERT INTO temp.sync_rows VALUES ${values}`)
        const length = together * ROW_VALUES
        for (; at + length <= rows.length; at += length) add.run(...rows.slice(at, at + length))
      }
    },

    /** Keeps one of rows that say the same; of rows that contradict another one, returns some by line. */
    leaveOutRepeats(): { differing: readonly (readonly [reference: string, line: number])[]; repeats: number } {
      connection.exec(INDEX_ROWS)
      if (connection.prepare(HAS_REPEATED).get() === undefined) return { differing: [], repeats: 0 }
      const differing = counted(REPEATED)
      if (differing.length > 0) return { differing, repeats: 0 }
      connection.exec(INDEX_LINES)
      return { differing, repeats: Number(connection.prepare(LEAVE_OUT_REPEATS).run().changes) }
    },

    planSync(options: Pick<SyncOptions, 'missing' | 'adopts'>): SyncPlan {
      for (const table of TABLES.slice(1)) connection.exec(`DELETE FROM temp.${table}`)
      connection.exec(FIND_KINDS)
      if (connection.prepare('SELECT 1 FROM temp.sync_kinds LIMIT 1').get() !== undefined) {
        connection.exec(findAlike(IS_THERE))
      }
      connection.exec(makePlan(options))
      const [alike, adoptable] = connection.prepare(COUNT_ALIKE).get() as unknown as [bigint, bigint]
      const first = connection.prepare(`SELECT ${CHANGE} FROM temp.sync_plan ORDER BY place LIMIT ${CHANGES_SHOWN}`)
      return {
        counts: toCounts(counted(COUNT_PLAN)),
        referenced: Number((connection.prepare(COUNT_REFERENCED).get() as unknown as [bigint])[0]),
        alike: Number(alike),
        adoptable: Number(adoptable),
        changes: (first.all() as unknown as ChangeRow[]).map(toChange),
      }
    },

    endSync(): void {
      connection.exec(DROP)
    },
  }
}
