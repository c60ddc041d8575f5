/**
 * Every write to the file, by name; each runs within a transaction. Arguments and results can be sent between threads,
 * because the service runs these in its writer thread (writer-thread.ts) and a command in its only thread.
 */

import type { Usage } from '../../../contract/limits.ts'
import type { ArchivedTable, Cells } from '../../rules/archived-tables.ts'
import type { Connection } from '../file/connection.ts'
import { keyWrites } from './keys.ts'
import { peopleWrites } from './people.ts'
import { petWrites } from './pets.ts'
import { importWrites } from './publishing.ts'
import { purgeWrites } from './purges.ts'
import { additionWrites, categoryWrites, recordWrites } from './records.ts'
import { sessionWrites } from './sessions.ts'
import { stagingWrites } from './staging.ts'
import { undoWrites } from './undoing.ts'

export type Writes = ReturnType<typeof allWrites>

export function allWrites(connection: Connection) {
  const pets = petWrites(connection)
  return {
    ...pets,
    ...keyWrites(connection),
    ...usageWrites(connection),
    ...archiveWrites(connection),
    ...stagingWrites(connection),
    ...importWrites(connection),
    ...categoryWrites(connection),
    ...additionWrites(connection, pets.createPets),
    ...recordWrites(connection),
    ...purgeWrites(connection),
    ...undoWrites(connection),
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
    /** Adds those whose key is not there yet. */
    putRows({ name, columns }: ArchivedTable, rows: readonly Cells[]): void {
      const add = connection.prepare(
        `INSERT INTO ${name} VALUES (${Object.keys(columns).map(() => '?')}) ON CONFLICT DO NOTHING`,
      )
      for (const row of rows) add.run(...row)
    },
  }
}
