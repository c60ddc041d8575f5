/** The interface of the engines. JSON text is exact for an int64. SQLite answers within the turn (MaybePromise). */
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

export interface StoreEvents {
  /** A sentence when trouble begins or changes; undefined when it is over. */
  onTrouble(trouble: string | undefined): void
  /** Every 2 s while a starting service waits for its database. */
  onWaiting(why: string): void
  readonly onAttempt: OnAttempt
}

/** After each attempt of background work, with its error. `trouble` is a clause such as "a ban is not saved". */
export type OnAttempt = (trouble: string, error?: unknown) => void

export interface OpenOptions {
  readonly clock: Clock
  /** Whether this process serves requests, and does not run a command. */
  readonly serving: boolean
  /** For commands that need a database without a running service. */
  readonly alone?: boolean
  readonly mustExist?: boolean
  readonly flag?: string
  readonly events?: StoreEvents
  /** Called with a sentence about a failure that no response could report. */
  readonly report?: (trouble: string) => void
  /** Called when a database of an earlier version is upgraded, with the way back. */
  readonly onUpgrade?: (sentence: string) => void
}

export interface PetQuery extends PetFilter {
  readonly limit: number
  /** Only animals with a smaller id (O6). */
  readonly before: bigint | undefined
}

export interface PetPage {
  /** A JSON array of Pets, newest first (O5). Over 64 KiB it consists of shared pieces. */
  readonly json: string | readonly Uint8Array[]
  readonly nextBefore: string | undefined
}

export interface PetJson<Json = string> {
  readonly id: bigint
  readonly json: Json
}

export interface PetStore {
  list(query: PetQuery): MaybePromise<PetPage>
  get(id: bigint): MaybePromise<string | undefined>
  /** Resolves when the animal is durable. Records the key, if given (./origins.ts). */
  create(pet: NewPet, keyId?: string): Promise<PetJson>
  /** All animals by ascending id from one snapshot, after the id `after` if given. */
  export(after?: bigint, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredAnimal[]>
  count(): MaybePromise<AnimalCounts>
}

export interface RequestStore {
  /** `hash` is the SHA-256 of the key in base64url. Revoked and expired keys are found too. */
  findKey(hash: string): MaybePromise<Key | undefined>
  markKeysUsed: Keys['markUsed']
  saveLedger: Ledger['save']
}

export interface CounterStore {
  load(): ReadonlyMap<string, Counter>
  /** Saves counters and deletes undefined ones, in one commit. Throws StoreUnavailable. */
  save(counters: ReadonlyMap<string, Counter | undefined>): Promise<void>
}

export interface Store extends OperatorSide {
  readonly engine: 'sqlite' | 'postgres'
  readonly pets: PetStore
  readonly requests: RequestStore
  /** In ms. A killed process loses the counts since its last save. */
  readonly saveAfterMs: number
  /** The number of commits that stored animals, and of these animals. */
  readonly commits: { readonly count: number }
  /** Throws StoreUnavailable if the engine is not responding. */
  ping(): MaybePromise<void>
  /** The identity of the database until it is copied or restored. */
  identity(): MaybePromise<string>
  /** Differs after each commit that changed an animal or a category name. */
  changeVersion(): MaybePromise<string>
  announce(note: ServiceNote): void
  /** A store for counters in memory or, on PostgreSQL, shared counters. */
  counters(): CounterStore | SharedCounters
  /** Cuts off what people do, of which nothing is done then, so that the last saves of the service need not wait. */
  stopWork?(): void
  close(): Promise<void>
}
