/** How the file is changed: by the service through a thread (writer-thread.ts), by a command directly. */
import type { Eventual } from '../../common/eventual.ts'
import { petJson } from '../../contract/json.ts'
import type { NewPet } from '../../contract/schemas.ts'
import type { PetText } from '../store.ts'
import type { Database } from './database.ts'
import { flatten } from './flat-pets.ts'
import { type Operations, operations } from './operations.ts'

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

/** These change no shared table, and so need not block other writers. */
const PRIVATE: readonly OperationName[] = [
  'beginStaging',
  'stage',
  'findStagedKinds',
  'countStagedDuplicates',
  'stagedIdsTaken',
  'endStaging',
]

/** Writes on the connection that the command also uses to read. */
export class CommandWriter implements Writer {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: Database
  readonly #forget: () => void
  readonly #operations: Operations

  /** `forget` clears the cache. */
  constructor(database: Database, forget: () => void) {
    this.#database = database
    this.#forget = forget
    this.#operations = operations(database.connection)
  }

  async create(pet: NewPet): Promise<PetText> {
    const id = this.run('createPets', flatten([pet]))
    this.commits.count += 1
    this.commits.rows += 1
    return { id, json: petJson(id, pet.name, pet.categoryId, pet.status) }
  }

  run<Name extends OperationName>(name: Name, ...args: Parameters<Operations[Name]>): ReturnType<Operations[Name]> {
    this.#database.endTurn()
    const operation = this.#operations[name] as (...args: unknown[]) => ReturnType<Operations[Name]>
    const begin = PRIVATE.includes(name) ? 'BEGIN' : 'BEGIN IMMEDIATE'
    const result = this.#database.connection.write(() => operation(...args), begin)
    this.#forget()
    return result
  }

  async close(): Promise<void> {}
}
