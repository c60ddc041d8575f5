/**
 * Every change of the file, by name; each runs within a transaction. Arguments and results can be sent between threads,
 * because the service runs these in its writer thread (writer-thread.ts) and a command in its only thread.
 */
import type { Usage } from '../../contract/limits.ts'
import type { ArchivedTable, Cells } from '../archived.ts'
import type { PetRow } from '../rows.ts'
import { additionOperations } from './addition-operations.ts'
import { categoryOperations } from './category-operations.ts'
import type { Connection } from './connection.ts'
import { FLAT_PET, type FlatPets } from './flat-pets.ts'
import { importOperations } from './import-operations.ts'
import { keyOperations } from './key-operations.ts'
import { peopleOperations } from './people-operations.ts'
import { recordOperations } from './record-operations.ts'
import { sampleOperations } from './sample-operations.ts'
import { stagingOperations } from './staging-operations.ts'
import { undoOperations } from './undo-operations.ts'

export type Operations = ReturnType<typeof operations>

export function operations(connection: Connection) {
  const pets = petOperations(connection)
  return {
    ...pets,
    ...keyOperations(connection),
    ...usageOperations(connection),
    ...stagingOperations(connection),
    ...importOperations(connection),
    ...categoryOperations(connection),
    ...additionOperations(connection, pets.createPets),
    ...recordOperations(connection),
    ...sampleOperations(connection),
    ...undoOperations(connection),
    ...peopleOperations(connection),
  }
}

function petOperations(connection: Connection) {
  const insert = connection.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const insertWithId = connection.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)')
  const addToCount = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
  const count = (statuses: Iterable<string | null | undefined>) => {
    const added = new Map<string, number>()
    for (const status of statuses) added.set(status ?? 'none', (added.get(status ?? 'none') ?? 0) + 1)
    for (const [status, n] of added) addToCount.run(n, status)
  }
  return {
    /** Returns the first of the new ids; the others are consecutive. */
    createPets(pets: FlatPets): bigint {
      let last = 0n
      const statuses: (string | null)[] = []
      for (let i = 0; i < pets.length; i += FLAT_PET) {
        const [name, categoryId, status] = [pets[i] as string, pets[i + 1] as bigint, pets[i + 2] as string | null]
        last = BigInt(insert.run(name, categoryId, status).lastInsertRowid)
        statuses.push(status)
      }
      count(statuses)
      return last - BigInt(statuses.length - 1)
    },

    /** Adds animals with their ids. */
    putPets(pets: readonly PetRow[]): void {
      for (const { id, name, categoryId, status } of pets) {
        insertWithId.run(BigInt(id), name, BigInt(categoryId), status ?? null)
      }
      count(pets.map(({ status }) => status))
    },

    /** Adds those whose key is not there yet. */
    putRows({ name, columns }: ArchivedTable, rows: readonly Cells[]): void {
      const add = connection.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?')}) ON CONFLICT DO NOTHING`)
      for (const row of rows) add.run(...row)
    },
  }
}

function usageOperations(connection: Connection) {
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
