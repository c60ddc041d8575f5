/**
 * What a store is, whichever engine implements it: animals, keys and counters. One suite of tests holds every engine to
 * this file. Animals cross it as JSON text, because text is exact for an int64 in every engine and is what the service
 * sends in the end; nothing in between parses it. Methods may answer at once or later (`MaybePromise`), so an embedded
 * engine need not wait a turn for what it already has.
 */

import type { Clock } from '../common/clock.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Counter } from '../contract/limits.ts'
import type { PetFilter } from '../contract/pet-filter.ts'
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { SharedCounters } from './batched-counters.ts'
import type { Keys } from './keys.ts'
import type { Ledger } from './ledger.ts'
import type { ServiceNote } from './maintenance.ts'
import type { OperatorSide } from './operator-side.ts'
import type { AnimalCounts, Key, StoredAnimal } from './rows.ts'

export type { Archive } from './archive.ts'
export type { SharedCounters } from './batched-counters.ts'
export { StoreUnavailable, StoreUnusable, WrongAddress } from './errors.ts'
export type { KeySearch, KeySearchResult } from './keys.ts'

/** What a store that can be unavailable reports: once when trouble begins, and once when it is over. */
export interface StoreEvents {
  /** A sentence with the reason and the consequence when trouble begins or changes; undefined when it is over. */
  onTrouble(trouble: string | undefined): void
  /** Every 2 s while a starting service waits for its database. */
  onWaiting(why: string): void
  readonly onAttempt: OnAttempt
}

/**
 * Told of each attempt at what is done beside requests, again and again: what is wrong where it fails, as in "a ban is not
 * saved", and why, if it has failed.
 */
export type OnAttempt = (trouble: string, error?: unknown) => void

export interface OpenOptions {
  readonly clock: Clock
  /** Whether this process serves requests, of a SQLite file as the only one, rather than runs one command. */
  readonly serving: boolean
  /** For commands that need a database to themselves, with no service on it. */
  readonly alone?: boolean
  /** For commands that make no sense on a new database, which a mistyped path would create. */
  readonly mustExist?: boolean
  /** The option that names the database, if not `--database`. */
  readonly flag?: string
  readonly events?: StoreEvents
  /** Called with a sentence about a failure that could not be reported in a response. */
  readonly report?: (trouble: string) => void
  /** Told in sentences that a database of an earlier version is upgraded, and what is the way back. */
  readonly onUpgrade?: (sentence: string) => void
}

export interface PetQuery extends PetFilter {
  readonly limit: number
  /** Only animals with a smaller id: where the previous page ended (O6). */
  readonly before: bigint | undefined
}

export interface PetPage {
  /** A JSON array of Pets, newest first (O5); over 64 KiB it comes in pieces, which all pages with the animal share. */
  readonly json: string | readonly Uint8Array[]
  /** The id of the last animal, if more follow it. */
  readonly nextBefore: string | undefined
}

/** An animal and its StoredAnimal as JSON text. */
export interface PetJson<Json = string> {
  readonly id: bigint
  readonly json: Json
}

export interface PetStore {
  list(query: PetQuery): MaybePromise<PetPage>
  /** The StoredAnimal as JSON text, or undefined if there is none. */
  get(id: bigint): MaybePromise<string | undefined>
  /** Resolves when the animal is durable. The key that asks for it is noted, if one is named (./origins.ts). */
  create(pet: NewPet, keyId?: string): Promise<PetJson>
  /** Every animal in ascending order of id, from one snapshot; with `after`, only those with a greater id. */
  export(after?: bigint, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredAnimal[]>
  count(): MaybePromise<AnimalCounts>
}

/** What requests need of the keys and the ledger. */
export interface RequestStore {
  /** `hash` is the SHA-256 of the key in base64url; revoked and expired keys are found too. */
  findKey(hash: string): MaybePromise<Key | undefined>
  markKeysUsed: Keys['markUsed']
  saveLedger: Ledger['save']
}

/** Stores in-memory counters across restarts. */
export interface CounterStore {
  load(): ReadonlyMap<string, Counter>
  /** Saves these and deletes those without a counter, in one commit. Throws StoreUnavailable. */
  save(counters: ReadonlyMap<string, Counter | undefined>): Promise<void>
}

export interface Store extends OperatorSide {
  readonly engine: 'sqlite' | 'postgres'
  readonly pets: PetStore
  readonly requests: RequestStore
  /** The interval in ms at which the ledger is saved; a killed process loses the counts since its last save. */
  readonly saveAfterMs: number
  /** The number of commits that made animals durable, and of the animals in them. */
  readonly commits: { readonly count: number }
  /** Resolves if the engine answers; throws StoreUnavailable if it does not. */
  ping(): MaybePromise<void>
  /** Which database this is, as long as it is neither copied nor restored. */
  identity(): MaybePromise<string>
  /** Cheap; another text after each commit that changed an animal or a category's name, sometimes after others. */
  changeVersion(): MaybePromise<string>
  /** Tells commands that a service runs: those on this machine, or all where nodes share the engine. */
  announce(note: ServiceNote): void
  /** Where counters in memory are saved; of an engine that nodes share, the counters themselves. */
  counters(): CounterStore | SharedCounters
  /** Cuts off what people do, of which nothing is done then, so that the last saves of the service need not wait. */
  stopWork?(): void
  close(): Promise<void>
}
