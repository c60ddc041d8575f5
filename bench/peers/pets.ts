/** What the peer stores, on either engine: SQLite answers immediately, PostgreSQL by a promise. */
import type { Animal, NewAnimal } from '../animals.ts'

export interface Pets {
  /** Adds animals whose ids are 1 and up, and the hash of one key. */
  fill(all: readonly NewAnimal[], keyHash: string): void | Promise<void>
  keyHashes(): readonly string[] | Promise<readonly string[]>
  list(limit: number, status: string | undefined): Animal[] | Promise<Animal[]>
  add(pet: NewAnimal): Animal | Promise<Animal>
  get(id: number): Animal | undefined | Promise<Animal | undefined>
  close(): void | Promise<void>
}
