/** How a command changes the file: on the connection that it also uses to read. */
import { petJson } from '../../contract/json.ts'
import type { NewPet } from '../../contract/schemas.ts'
import type { PetText } from '../store.ts'
import type { Database } from './database.ts'
import { flatten } from './flat-pets.ts'
import { type Operations, operations } from './operations.ts'
import type { OperationName, Writer } from './writer.ts'

/** These change no shared table, and so need not block other writers. */
const PRIVATE: readonly OperationName[] = [
  'beginStaging',
  'stage',
  'findStagedKinds',
  'countStagedDuplicates',
  'stagedIdsTaken',
  'endStaging',
]

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
