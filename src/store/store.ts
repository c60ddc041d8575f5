/**
 * What a store is, whichever engine is behind it: animals, keys and counters. One suite of tests holds every engine to
 * this file. Animals cross it as JSON text, because text is exact for an int64 in every engine and is what leaves the
 * service in the end; nothing on the way parses it. Methods may answer at once or later (`Eventual`), so an embedded
 * engine need not wait a turn to say what it knows.
 */

import type { Clock } from '../common/clock.ts'
import type { Eventual } from '../common/eventual.ts'
import type { Limits, Standing, Usage, Verdict } from '../contract/limits.ts'
import type { Plan } from '../contract/plans.ts'
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { ArchivedTable, Cells } from './archived.ts'
import type { PetImports } from './imports.ts'
import type { Author, PetRecords } from './records.ts'

/** `unknown`: a change was sent to the engine, and no answer came back. It may have been made, or still be. */
export type Outcome = 'nothing was done' | 'unknown'

/** The engine cannot answer at this moment. */
export class StoreUnavailable extends Error {
  /** What to tell the client (O23). */
  readonly retryAfterS: number
  readonly outcome: Outcome
  /** Whether the store has told of this trouble already (StoreEvents), so that it need not be logged for each request. */
  readonly known: boolean

  constructor(
    message: string,
    options: { cause?: unknown; retryAfterS?: number; outcome?: Outcome; known?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'StoreUnavailable'
    this.retryAfterS = options.retryAfterS ?? 1
    this.outcome = options.outcome ?? 'nothing was done'
    this.known = options.known ?? false
  }
}

/** What a store that can be gone for a while tells those who run it: once when it begins, and once when it is over. */
export interface StoreEvents {
  /** A sentence with the reason and the consequence, when trouble begins or changes; undefined when it is over. */
  onTrouble(trouble: string | undefined): void
  /** Every 2 s while a service that starts waits for its database. */
  onWaiting(why: string): void
}

/** A mistake in how the store was named or set up: one sentence that tells the operator what to do. */
export class StoreUnusable extends Error {
  override readonly name: string = 'StoreUnusable'
}

/** The address itself is wrong, whatever answers there: a mistake in what was typed. */
export class WrongAddress extends StoreUnusable {
  override readonly name = 'WrongAddress'
}

export interface PetQuery {
  readonly limit: number
  readonly status: PetStatus | undefined
  /** Only animals with a smaller id: where the page before this one ended (O6). */
  readonly before: bigint | undefined
}

export interface PetPage {
  /**
   * A JSON array of Pets, newest first (O5). When the page is large (over 64 KiB), it comes in pieces, each shared by all
   * pages that hold the animal.
   */
  readonly json: string | readonly Uint8Array[]
  /** The id of the last animal, when more follow it. */
  readonly nextBefore: string | undefined
}

/** An animal and its Pet as JSON text. */
export interface PetText {
  readonly id: bigint
  readonly json: string
}

/** An animal as a row of an export: int64 as decimal text. */
export interface PetRow {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: PetStatus | undefined
}

/** Animals counted by status; `none` are those without one (O4). */
export type PetCounts = Readonly<Record<PetStatus | 'none', number>>

export interface PetStore {
  list(query: PetQuery): Eventual<PetPage>
  /** The Pet as JSON text, or undefined when there is none. */
  get(id: bigint): Eventual<string | undefined>
  /** Resolves when the animal is durable. */
  create(pet: NewPet): Promise<PetText>
  /** Every animal in ascending order of id, as of one instant; with `after`, only those with a greater id. */
  export(after?: bigint): AsyncIterable<readonly PetRow[]>
  count(): Eventual<PetCounts>
}

export interface Key {
  /** Names the key in commands and logs; no secret. */
  readonly id: string
  /** Whose counters the key uses: a rotated key goes on with those of the key it replaces. */
  readonly lineage: string
  readonly plan: Plan
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** To the minute. */
  readonly lastUsedAtMs: number | undefined
}

/** `banned` is a key in force that has to wait for the end of a ban (R17). */
export type KeyState = 'active' | 'expired' | 'revoked' | 'banned'

/** A page of keys: at most `limit`, with `after` only those that follow this key. */
export interface KeyQuery {
  readonly limit: number
  readonly after?: Pick<Key, 'createdAtMs' | 'id'> | undefined
}

/**
 * There may be hundreds of thousands of keys, so no method reads more of them than it is asked for. Each change of a key leaves
 * its entry in the journal (./records.ts) in the same transaction.
 */
export interface KeyStore {
  /** `hash` is the SHA-256 of the key in base64url; revoked and expired keys are found too. */
  find(hash: string): Eventual<Key | undefined>
  get(id: string): Eventual<Key | undefined>
  add(key: Key, hash: string, by: Author): Eventual<void>
  /** Oldest first. */
  list(query: KeyQuery): Eventual<readonly Key[]>
  /** The keys used last, the latest first; those never used come after them. */
  lastUsed(limit: number): Eventual<readonly Key[]>
  /** The newest key of a lineage: the only one that no other has replaced. */
  newestOf(lineage: string): Eventual<Key | undefined>
  count(): Eventual<number>
  /** False when there is no such key. Revoking twice keeps the first time, and its entry. */
  revoke(id: string, by: Author): Eventual<boolean>
  /** Adds `successor` and lets the key `id` expire at `expiresAtMs`, both or neither. */
  replace(id: string, expiresAtMs: number, successor: StoredKey, by: Author): Eventual<void>
  markUsed(uses: ReadonlyMap<string, number>): Eventual<void>
}

/** Counts requests and decides on them in one atomic step. */
export interface Counters {
  take(subject: string, limits: Limits): Eventual<Verdict>
  /** Where the subject stands, without counting. */
  peek(subject: string, limits: Limits): Eventual<Standing>
  /** A sentence when the counters are not what they should be (counted by this node alone, say). */
  trouble(): string | undefined
  close(): Promise<void>
}

/** Counters that several nodes share. Every answer may fail or stay away; ./fallback-counters.ts bounds the wait. */
export interface SharedCounters {
  take(subject: string, limits: Limits): Promise<Verdict>
  peek(subject: string, limits: Limits): Promise<Standing>
  /** Resolves when the counters count (again), by a new connection if need be. */
  revive(): Promise<void>
  /** The shared clock in Unix ms, as far as it is known from what was answered last; undefined before that. */
  now(): number | undefined
  close(): Promise<void>
}

/** What `pets copy` needs of a store: to read and write all of it as it is, ids, hashes and counts included. */
export interface Archive {
  /** The greatest id of an animal; undefined when there is none. */
  lastPetId(): Eventual<bigint | undefined>
  /** Adds animals with the ids that they have, in one commit; ids assigned later are greater than all of them. */
  putPets(pets: readonly PetRow[]): Eventual<void>
  keys(): Eventual<readonly StoredKey[]>
  /** Adds those whose id is not there yet. */
  putKeys(keys: readonly StoredKey[]): Eventual<void>
  usages(): Eventual<ReadonlyMap<string, Usage>>
  /** Puts these in the place of what was counted for the same subjects. */
  putUsages(usages: ReadonlyMap<string, Usage>): Eventual<void>
  /** The next rows of a table in the order of its key, with `after` only those beyond that key; none at its end. */
  rows(table: ArchivedTable, after: Cells | undefined): Eventual<readonly Cells[]>
  /** Adds those whose key is not there yet. */
  putRows(table: ArchivedTable, rows: readonly Cells[]): Eventual<void>
  /** The greatest id that was ever given, also to animals that are no more (R4); 0 when there was none. */
  lastGivenId(): Eventual<bigint>
  /** Ids given from now on are greater than this one. */
  giveIdsAfter(id: bigint): Eventual<void>
}

export interface StoredKey {
  readonly key: Key
  readonly hash: string
}

/** Where counters that live in process memory are kept across restarts. */
export interface UsageStore {
  load(): ReadonlyMap<string, Usage>
  /** Saves these and forgets `spent`, in one commit. Throws StoreUnavailable. */
  save(used: ReadonlyMap<string, Usage>, spent: ReadonlySet<string>): Promise<void>
}

export interface Store {
  readonly pets: PetStore
  readonly keys: KeyStore
  /** The operator's side of the animals. */
  readonly records: PetRecords
  readonly imports: PetImports
  /** How many commits made animals durable, and how many animals they held. */
  readonly commits: { readonly count: number; readonly rows: number }
  /** Resolves when the engine answers; throws StoreUnavailable when it does not. */
  ping(): Eventual<void>
  readonly archive: Archive
  /** The engine's own counters. Those of an engine that nodes share can fail for a while; see ./fallback-counters.ts. */
  counters(clock: Clock): Counters | SharedCounters
  close(): Promise<void>
}
