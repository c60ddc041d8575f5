/**
 * Where an animal came from, and when: a key created it over the interface, a person added it, or an import or a sync
 * brought it. None of it is on the interface.
 */
import type { Eventual } from '../common/eventual.ts'
import type { Author } from './author.ts'
import type { PetRecord } from './records.ts'

export interface Origin {
  readonly kind: 'key' | 'person' | 'import'
  /** A key's id, a person's name, or `cli` and the name of the system user. */
  readonly who: string
  /** Unix ms; of a key, to the minute. */
  readonly atMs: number
  /** The number of the import. */
  readonly importN: bigint | undefined
}

export interface OriginQuery {
  /** A key's id, an author's name or the number of an import; undefined for all. */
  readonly by: string | undefined
  /** Unix ms; of keys, to the minute before. */
  readonly sinceMs: number
  readonly limit: number
}

/** What is known of an animal besides its record. */
export interface Known {
  /** The first that is known; undefined for what a key created before keys were noted. */
  readonly origin: Origin | undefined
  /** The other system's id of it, if a sync has noted one (./sync.ts). */
  readonly reference: string | undefined
}

export interface PetOrigins {
  /** Of each of these ids, in their order. */
  known(ids: readonly bigint[]): Eventual<readonly Known[]>
  /** The animals that are there, newest first. */
  find(query: OriginQuery): Eventual<readonly PetRecord[]>
  /** How many animals the key has created since then that are there. */
  count(keyId: string, sinceMs: number): Eventual<number>
  /**
   * Makes the animals that the key has created since then an import, so that they can be undone as one (./imports.ts);
   * returns its number, or undefined if there are none.
   */
  gather(keyId: string, sinceMs: number, by: Author): Promise<bigint | undefined>
  /** At most `limit` of the animals that the undo of an import has removed, and that can be restored. */
  undone(importN: bigint, limit: number): Eventual<readonly bigint[]>
}
