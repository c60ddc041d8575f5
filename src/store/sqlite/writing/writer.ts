/**
 * How the file is changed: by the service through a thread (writer-thread.ts), by a command directly
 * (command-writer.ts).
 */
import type { Eventual } from '../../../common/eventual.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import type { PetJson } from '../../store.ts'
import type { Writes } from './writes.ts'

export type WriteName = keyof Writes

export interface Writer {
  /**
   * Runs one write in a transaction: all of it is on the disk when this resolves. Throws StoreUnavailable, and then
   * nothing was done unless the error says that the outcome is unknown.
   */
  run<Name extends WriteName>(name: Name, ...args: Parameters<Writes[Name]>): Eventual<ReturnType<Writes[Name]>>
  /**
   * Adds an animal, in one commit with others that arrive at the same time, and notes the key whose request it is, if
   * one is named. Throws as `run` does.
   */
  create(pet: NewPet, keyId?: string): Promise<PetJson>
  /** The number of commits that made animals durable, and of the animals in them. */
  readonly commits: { readonly count: number; readonly rows: number }
  /** Resolves when all requested changes are done. */
  close(): Promise<void>
}
