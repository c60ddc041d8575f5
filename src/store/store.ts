/**
 * What a store is, whichever engine implements it: animals, keys and counters. One suite of tests holds every engine to
 * this file. Animals cross it as JSON text, because text is exact for an int64 in every engine and is what the service
 * sends in the end; nothing in between parses it. Methods may answer at once or later (`Eventual`), so an embedded
 * engine need not wait a turn for what it already has.
 */

import type { Clock } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'
import type { Eventual } from '../common/eventual.ts'
import type { Limits, Standing, Usage, Verdict } from '../contract/limits.ts'
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'
import type { CategoryStore } from './categories.ts'
import type { PetImports } from './imports.ts'
import type { LedgerStore } from './ledger.ts'
import type { KeptMaps } from './maps.ts'
import type { PetOrigins } from './origins.ts'
import type { PeopleStore } from './people.ts'
import type { PetRecords } from './records.ts'
import type { Reports } from './report.ts'
import type { Ban, Key, KeyTerms, StoredPet } from './rows.ts'
import type { ArchivedTable, Cells } from './rules/archived-tables.ts'
import type { PetSync } from './sync.ts'
import type { ServiceNote } from './upkeep.ts'
import type { WordStore } from './words.ts'

/**
 * The engine cannot answer at the moment. The message is a sentence for people; `reason` is what stands in it behind
 * the colon.
 */
export class StoreUnavailable extends ExplainedError {
  /**
   * Begins in lower case: half of a sentence in which `it` is the database, and often a second one that says what to
   * do.
   */
  readonly reason: string
  /** Retry-After for the client, in seconds (O23). */
  readonly retryAfterS: number
  /** `unknown`: a change was sent to the engine, and no answer came. It may have been made, or may still be. */
  readonly outcome: 'nothing was done' | 'unknown'
  /**
   * Whether the store has already reported this trouble (StoreEvents), so that it need not be logged for each request.
   */
  readonly known: boolean

  constructor(
    reason: string,
    options: { cause?: unknown; retryAfterS?: number; outcome?: StoreUnavailable['outcome']; known?: boolean } = {},
  ) {
    super(`The database cannot be used: ${reason}`, { cause: options.cause })
    this.name = 'StoreUnavailable'
    this.reason = reason
    this.retryAfterS = options.retryAfterS ?? 1
    this.outcome = options.outcome ?? 'nothing was done'
    this.known = options.known ?? false
  }
}

/** What a store that can be unavailable reports: once when trouble begins, and once when it is over. */
export interface StoreEvents {
  /** A sentence with the reason and the consequence when trouble begins or changes; undefined when it is over. */
  onTrouble(trouble: string | undefined): void
  /** Every 2 s while a starting service waits for its database. */
  onWaiting(why: string): void
}

/** A mistake in the address or the set-up of a store: one sentence that tells the operator what to do. */
export class StoreUnusable extends ExplainedError {
  override readonly name: string = 'StoreUnusable'
}

/** The address itself is invalid, whatever answers there: wrong usage. */
export class WrongAddress extends StoreUnusable {
  override readonly name = 'WrongAddress'
  override readonly exitCode = 2
}

export interface PetQuery {
  readonly limit: number
  readonly status: PetStatus | undefined
  /** Only animals with a smaller id: where the previous page ended (O6). */
  readonly before: bigint | undefined
}

export interface PetPage {
  /**
   * A JSON array of Pets, newest first (O5). A large page (over 64 KiB) comes in pieces, each shared by all pages that
   * contain the animal.
   */
  readonly json: string | readonly Uint8Array[]
  /** The id of the last animal, if more follow it. */
  readonly nextBefore: string | undefined
}

/** An animal and its StoredPet as JSON text. */
export interface PetJson<Json = string> {
  readonly id: bigint
  readonly json: Json
}

/** The number of animals by status; `none` is animals without a status (O4). */
export type PetCounts = Readonly<Record<PetStatus | 'none', number>>

export interface PetStore {
  list(query: PetQuery): Eventual<PetPage>
  /** The StoredPet as JSON text, or undefined if there is none. */
  get(id: bigint): Eventual<string | undefined>
  /** Resolves when the animal is durable. The key that asks for it is noted, if one is named (./rules/origins.ts). */
  create(pet: NewPet, keyId?: string): Promise<PetJson>
  /** Every animal in ascending order of id, from one snapshot; with `after`, only those with a greater id. */
  export(after?: bigint, statuses?: readonly PetStatus[]): AsyncIterable<readonly StoredPet[]>
  count(): Eventual<PetCounts>
}

/** `banned`: a key in force that is refused until a ban ends (R17). */
export type KeyState = 'active' | 'expired' | 'revoked' | 'banned'

/** A page of keys: at most `limit`; with `after` only those that follow this key. */
export interface KeyQuery {
  readonly limit: number
  readonly after?: Pick<Key, 'createdAtMs' | 'id'> | undefined
}

/** By creation or by last use, latest first; keys never used come last. */
export type KeyOrder = 'newest' | 'used'

/** A page of the keys that a search finds. */
export interface KeySearch {
  /** A part of the label or the id, ignoring case and accents; empty for every key. */
  readonly text: string
  readonly order: KeyOrder
  /** How many of the keys found to skip. */
  readonly offset: number
  readonly limit: number
  /** Only keys with these ids, or only others; at most a thousand ids. */
  readonly among?: readonly string[]
  readonly except?: readonly string[]
}

export interface FoundKeys {
  /** How many keys the search finds on all of its pages. */
  readonly found: number
  readonly keys: readonly Key[]
}

/**
 * There may be hundreds of thousands of keys, so no method reads more than it is asked for. A change of a key and its
 * journal entry (./records.ts) are one transaction.
 */
export interface KeyStore {
  /** `hash` is the SHA-256 of the key in base64url; revoked and expired keys are found too. */
  find(hash: string): Eventual<Key | undefined>
  get(id: string): Eventual<Key | undefined>
  add(key: Key, hash: string, by: Author): Eventual<void>
  /** Oldest first. */
  list(query: KeyQuery): Eventual<readonly Key[]>
  /** Finds keys without blocking others: a search for a text reads all labels, in steps of some ms. */
  search(query: KeySearch): Eventual<FoundKeys>
  /** The newest key of a lineage: the only one that has not been replaced. */
  newestOf(lineage: string): Eventual<Key | undefined>
  count(): Eventual<number>
  /** False when there is no such key. Revoking twice keeps the first time, and its entry. */
  revoke(id: string, by: Author): Eventual<boolean>
  /**
   * Adds `successor` and lets the key `id` expire at `expiresAtMs`, both or neither. False, and nothing is done, if by
   * then `id` is no key in force, or has other terms, or its lineage has another newest key than `newest`, if given.
   */
  replace(id: string, expiresAtMs: number, successor: StoredKey, by: Author, newest?: string): Eventual<boolean>
  /**
   * Gives a key other terms. False, and nothing is done, if by then the terms of `old` are not those of the key, or it
   * has been revoked. There is no entry where nothing differs.
   */
  edit(old: Key, terms: KeyTerms, by: Author): Eventual<boolean>
  markUsed(uses: ReadonlyMap<string, number>): Eventual<void>
  /** Notes a ban that has begun, for every key of the lineage. One that is noted already is not counted again. */
  noteBan(lineage: string, ban: Omit<Ban, 'count'>): Eventual<void>
  /** Lifts the ban of the key's lineage, which whoever finds the key then tells the counters (Counters.unban). */
  unban(id: string, by: Author): Eventual<UnbanOutcome>
}

export type UnbanOutcome = 'unbanned' | 'not banned' | 'no such key'

/** Counts requests and decides on them in one atomic step. */
export interface Counters {
  take(subject: string, limits: Limits): Eventual<Verdict>
  /** The state of the subject's limits, without counting. */
  peek(subject: string, limits: Limits): Eventual<Standing>
  /** Ends the ban until `untilMs`, and no other. False if the counters cannot be reached: it is to be repeated. */
  unban(subject: string, untilMs: number): Eventual<boolean>
  /** A sentence if the counters are not as configured (counted by this node alone, say). */
  trouble(): string | undefined
  close(): Promise<void>
}

/**
 * Counters that several nodes share. Every answer may fail or never come; ./shared/fallback-counters.ts bounds the
 * wait.
 */
export interface SharedCounters {
  take(subject: string, limits: Limits): Promise<Verdict>
  peek(subject: string, limits: Limits): Promise<Standing>
  unban(subject: string, untilMs: number): Promise<void>
  /** Resolves when the counters count (again), with a new connection if needed. */
  revive(): Promise<void>
  /** The shared clock in Unix ms, continued from its last answer; undefined before the first. */
  now(): number | undefined
  close(): Promise<void>
}

/** What `pets copy` needs of a store: to read and write all of it unchanged, including ids, hashes and counts. */
export interface Archive {
  /** The greatest id of an animal; undefined if there is none. */
  lastPetId(): Eventual<bigint | undefined>
  /** Adds animals with their ids, in one commit; ids assigned later are greater than all of them. */
  putPets(pets: readonly StoredPet[]): Eventual<void>
  keys(): Eventual<readonly StoredKey[]>
  /** Adds the keys whose id does not exist yet. */
  putKeys(keys: readonly StoredKey[]): Eventual<void>
  usages(): Eventual<ReadonlyMap<string, Usage>>
  /** Replaces the counts of the same subjects. */
  putUsages(usages: ReadonlyMap<string, Usage>): Eventual<void>
  /** The next rows of a table in the order of its key, after `after` if given; none at the end. */
  rows(table: ArchivedTable, after: Cells | undefined): Eventual<readonly Cells[]>
  /** Adds those whose key is not there yet, and replaces the others if the table says so. */
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

/** Stores in-memory counters across restarts. */
export interface UsageStore {
  load(): ReadonlyMap<string, Usage>
  /** Saves these and deletes `spent`, in one commit. Throws StoreUnavailable. */
  save(used: ReadonlyMap<string, Usage>, spent: ReadonlySet<string>): Promise<void>
}

export interface Store {
  readonly pets: PetStore
  readonly keys: KeyStore
  /** The operator's side of the animals. */
  readonly records: PetRecords
  readonly imports: PetImports
  readonly sync: PetSync
  readonly origins: PetOrigins
  readonly reports: Reports
  readonly people: PeopleStore
  readonly ledger: LedgerStore
  readonly maps: KeptMaps
  readonly categories: CategoryStore
  readonly words: WordStore
  /** The number of commits that made animals durable, and of the animals in them. */
  readonly commits: { readonly count: number; readonly rows: number }
  /** Resolves if the engine answers; throws StoreUnavailable if it does not. */
  ping(): Eventual<void>
  /** Which database this is, as long as it is neither copied nor restored. */
  identity(): Eventual<string>
  /**
   * Costs little. It is another text after each commit that changed an animal, or the name of a category, and sometimes
   * after others.
   */
  changeMark(): Eventual<string>
  archive(): Promise<Archive>
  /** Tells commands on the same machine what serves the store; an engine that many nodes share keeps no such note. */
  announce(note: ServiceNote): void
  /**
   * The engine's own counters. Those of an engine shared by nodes can fail for a time; see
   * ./shared/fallback-counters.ts.
   */
  counters(clock: Clock): Counters | SharedCounters
  close(): Promise<void>
}
