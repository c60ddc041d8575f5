/** How a command changes the file: on the connection that it also uses to read. */
import { petJson } from '../../../contract/json.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import { type PetJson, StoreUnusable } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { flatten } from '../rows/pets.ts'
import type { WriteName, Writer } from './writer.ts'
import { allWrites, type Writes } from './writes.ts'

/** These change no shared table, and so need not block other writers. */
const PRIVATE: readonly WriteName[] = [
  'beginStaging',
  'stage',
  'findStagedKinds',
  'countStagedDuplicates',
  'findOthers',
  'stageOthers',
  'stagedIdsTaken',
  'endStaging',
  'beginSync',
  'stageRows',
  'leaveOutRepeats',
  'planSync',
  'endSync',
]

/** The file as the command reads it. */
interface ReadFile {
  readonly connection: Connection
  /** Whether the file at the path is still this one. */
  isInPlace(): boolean
  /** Ends the transaction of the reads. */
  endTurn(): void
}

export class CommandWriter implements Writer {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: ReadFile
  readonly #forget: () => void
  readonly #writes: Writes

  /** `forget` clears the cache. */
  constructor(database: ReadFile, forget: () => void) {
    this.#database = database
    this.#forget = forget
    this.#writes = allWrites(database.connection)
  }

  /** A command has no key. */
  async create(pet: NewPet): Promise<PetJson> {
    const id = this.run('createPets', flatten([pet]))
    this.commits.count += 1
    this.commits.rows += 1
    return { id, json: petJson(id, pet.name, pet.categoryId, pet.status) }
  }

  run<Name extends WriteName>(name: Name, ...args: Parameters<Writes[Name]>): ReturnType<Writes[Name]> {
    this.#database.endTurn()
    const write = this.#writes[name] as (...args: unknown[]) => ReturnType<Writes[Name]>
    const begin = PRIVATE.includes(name) ? 'BEGIN' : 'BEGIN IMMEDIATE'
    const result = this.#database.connection.write(() => {
      const result = write(...args)
      if (!this.#database.isInPlace()) throw new StoreUnusable(movedAway(this.#database.connection.path))
      return result
    }, begin)
    this.#forget()
    return result
  }

  async close(): Promise<void> {}
}

function movedAway(path: string): string {
  return `${path} was moved, removed or replaced while this command was working on it; what was not done yet is left undone. See which file is the right one, and try again.`
}
