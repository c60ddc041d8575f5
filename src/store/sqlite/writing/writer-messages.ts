/** The messages between the service and its writer thread: one batch at a time, and the reply to it. */

import type { Usage } from '../../../contract/limits.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import type { LedgerRow, LedgerSave } from '../../ledger.ts'
import type { SerializedError } from '../file/thread-errors.ts'

/** Name, category and status of each animal in turn: one flat array is cheaper to send than many objects. */
export type FlatPets = (string | bigint | null)[]
export const PET_VALUES = 3

export function flatten(pets: Iterable<NewPet>): FlatPets {
  const flat: FlatPets = []
  for (const { name, categoryId, status } of pets) flat.push(name, categoryId, status ?? null)
  return flat
}

/** The key that created the next so many animals of a batch; undefined if none is noted. */
export type Creator = readonly [keyId: string | undefined, animals: number]

/** What the public port asks for besides animals: it shares their commits. */
export interface Writes {
  saveLedger(rows: readonly LedgerRow[], save: LedgerSave): Promise<void>
  saveUsages(used: ReadonlyMap<string, Usage>, spent: ReadonlySet<string>): Promise<void>
  markKeysUsed(uses: ReadonlyMap<string, number>): Promise<void>
}

export type WriteName = keyof Writes

/** To be done in one transaction. */
export interface Batch {
  readonly creates: FlatPets
  readonly creators: readonly Creator[]
  /** Unix time in minutes. */
  readonly minute: number
  readonly writes: readonly (readonly [name: WriteName, args: readonly unknown[]])[]
  /** How long to wait for another process that is writing. */
  readonly patienceMs: number
}

export type Reply =
  | {
      readonly kind: 'committed'
      /** The change counter before and after. */
      readonly from: bigint
      readonly to: bigint
      /** The first id of the created animals, whose ids are consecutive. */
      readonly firstId: bigint
      readonly results: readonly ({ readonly value: unknown } | { readonly error: SerializedError })[]
    }
  /** Another process was writing the whole time, and nothing was done. */
  | { readonly kind: 'busy' }
  /** Nothing was done. */
  | { readonly kind: 'failed'; readonly error: SerializedError }

/** Trouble apart from the batches; undefined when it is over. */
export interface Trouble {
  readonly kind: 'trouble'
  readonly trouble: string | undefined
}

export interface WriterData {
  readonly path: string
  /** The file that the service has opened at the path (../file/wal.ts). */
  readonly fileId: string | undefined
  readonly port: MessagePort
}

/** Closes the file and ends the thread. */
export const CLOSE = 'close'
