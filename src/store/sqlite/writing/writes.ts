/**
 * Every write to the file, by name; each runs within a transaction. Arguments and results can be sent between threads,
 * because the service runs these in its writer thread (writer-thread.ts) and a command in its only thread.
 */

import type { Usage } from '../../../contract/limits.ts'
import type { ArchivedTable, Cells } from '../../rules/archived-tables.ts'
import type { Connection } from '../file/connection.ts'
import { keyTermsWrites, keyWrites } from './keys.ts'
import { ledgerWrites } from './ledger.ts'
import { categoryWrites } from './naming/categories.ts'
import { mergeWrites } from './naming/merging.ts'
import { wordWrites } from './naming/words.ts'
import { peopleWrites } from './people.ts'
import { petWrites } from './pets.ts'
import { gatheringWrites, importWrites } from './publishing.ts'
import { purgeWrites } from './purges.ts'
import { additionWrites, recordWrites } from './records.ts'
import { sessionWrites } from './sessions.ts'
import { stagingWrites } from './staging.ts'
import { syncWrites } from './syncing/apply.ts'
import { syncPlanning } from './syncing/plan.ts'
import { syncUndoing } from './syncing/undo.ts'
import { undoWrites } from './undoing.ts'

export type Writes = ReturnType<typeof allWrites>

export function allWrites(connection: Connection) {
  const pets = petWrites(connection)
  return {
    ...pets,
    ...keyWrites(connection),
    ...keyTermsWrites(connection),
    ...usageWrites(connection),
    ...ledgerWrites(connection),
    ...archiveWrites(connection),
    ...mapWrites(connection),
    ...stagingWrites(connection),
    ...importWrites(connection),
    ...gatheringWrites(connection),
    ...categoryWrites(connection),
    ...mergeWrites(connection),
    ...wordWrites(connection),
    ...additionWrites(connection, pets.createPets),
    ...recordWrites(connection),
    ...purgeWrites(connection),
    ...syncPlanning(connection),
    ...syncWrites(connection, pets.createPets),
    ...undoWrites(connection, syncUndoing(connection).undoSync),
    ...peopleWrites(connection),
    ...sessionWrites(connection),
  }
}

function usageWrites(connection: Connection) {
  const save = connection.prepare('INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const drop = connection.prepare('DELETE FROM counters WHERE subject = ?')
  return {
    saveUsage(used: ReadonlyMap<string, Usage>, spent: Iterable<string>): void {
      for (const subject of spent) drop.run(subject)
      for (const [subject, usage] of used) {
        save.run(
          subject,
          BigInt(usage.minute),
          BigInt(usage.minuteCount),
          BigInt(usage.day),
          BigInt(usage.dayCount),
          JSON.stringify(usage.refusedAtMs),
          BigInt(usage.bannedUntilMs),
          BigInt(usage.banLimit),
        )
      }
    },
  }
}

function archiveWrites(connection: Connection) {
  return {
    putRows({ name, columns, isReplaced }: ArchivedTable, rows: readonly Cells[]): void {
      const into = `INTO ${name} VALUES (${Object.keys(columns).map(() => '?')})`
      const add = connection.prepare(isReplaced ? `REPLACE ${into}` : `INSERT ${into} ON CONFLICT DO NOTHING`)
      for (const row of rows) add.run(...row)
    },
  }
}

function mapWrites(connection: Connection) {
  return {
    keepMap(name: string, rules: readonly string[]): void {
      connection.prepare('INSERT OR REPLACE INTO kept_maps VALUES (?, ?)').run(name, JSON.stringify(rules))
    },

    removeMap(name: string): boolean {
      return connection.prepare('DELETE FROM kept_maps WHERE name = ?').run(name).changes !== 0n
    },
  }
}
