/** How the file is changed: by the service through a thread (writer-thread.ts), by a command directly (command-writer.ts). */
import type { Eventual } from '../../common/eventual.ts'
import type { NewPet } from '../../contract/schemas.ts'
import type { PetText } from '../store.ts'
import type { Operations } from './operations.ts'

export type OperationName = keyof Operations

export interface Writer {
  /**
   * Runs one operation in a transaction: all of it is on the disk when this resolves. Throws StoreUnavailable, and then
   * nothing was done unless the error says that the outcome is unknown.
   */
  run<Name extends OperationName>(
    name: Name,
    ...args: Parameters<Operations[Name]>
  ): Eventual<ReturnType<Operations[Name]>>
  /** Adds an animal, in one commit with others that arrive at the same time. Throws as `run` does. */
  create(pet: NewPet): Promise<PetText>
  /** The number of commits that made animals durable, and of the animals in them. */
  readonly commits: { readonly count: number; readonly rows: number }
  /** Resolves when all requested changes are done. */
  close(): Promise<void>
}
