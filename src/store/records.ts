/**
 * The operator's side of the animals: finding, correcting, removing and restoring them, and the journal that says who did
 * what and when. None of it is an operation of the interface (O3); the interface shows only its results. Each change and its
 * line in the journal are one transaction. An animal that was removed is gone for the interface at once and can be restored
 * until it is purged; its id is never given again (R4).
 */
import type { Eventual } from '../common/eventual.ts'
import type { PetStatus } from '../contract/schemas.ts'
import type { Key, PetRow } from './store.ts'

/** Removed animals can be restored for so long, and are purged then. */
export const RESTORABLE_DAYS = 30
export const RESTORABLE_MS = RESTORABLE_DAYS * 86_400_000

/** Who changes something, and when. */
export interface Author {
  /** A person's name, or `cli` and the name of the system's user. */
  readonly who: string
  /** Unix ms. */
  readonly atMs: number
}

/** New values of an animal. What is absent stays as it is; a status of null is none (O4). */
export interface PetChanges {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: PetStatus | null
}

export interface PetRecord extends PetRow {
  /** The number of its latest entry in the journal, 0 when there is none: it grows with every change. */
  readonly version: bigint
  /** Unix ms; undefined while the interface shows the animal. */
  readonly removedAtMs: number | undefined
}

/**
 * All of it was done, or nothing: because some animals are not there, or because the animal is not the version that the
 * author read. `changed` leaves out animals that were as wanted already.
 */
export type Outcome =
  | { readonly changed: number }
  | { readonly missing: readonly bigint[] }
  | { readonly current: PetRecord }

export const JOURNAL_ACTS = [
  'edit',
  'remove',
  'restore',
  'purge',
  'label',
  'import',
  'undo import',
  'issue key',
  'revoke key',
  'rotate key',
] as const
export type JournalAct = (typeof JOURNAL_ACTS)[number]

export interface JournalEntry {
  /** Counts up from 1. */
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  /** Decimal; undefined where the entry is of no single animal. */
  readonly petId: string | undefined
  readonly keyId: string | undefined
  /** The values that were replaced, and those that replaced them, as JSON objects. */
  readonly from: string | undefined
  readonly to: string | undefined
}

export interface JournalQuery {
  readonly petId: bigint | undefined
  readonly keyId: string | undefined
  /** Unix ms; only entries from then on. */
  readonly sinceMs: number | undefined
  /** Only entries older than this one: where the page before ended. */
  readonly before: bigint | undefined
  readonly limit: number
}

export interface FindQuery {
  /** A part of the name, in any case and with or without accents. */
  readonly text: string
  /** `none` are animals without a status; undefined is any. */
  readonly status: PetStatus | 'none' | undefined
  readonly limit: number
}

export interface PetRecords {
  /** An animal, removed or not; undefined when there never was one or it has been purged. */
  get(id: bigint): Eventual<PetRecord | undefined>
  /** Changes all of these animals or none. `version` is the one that the author read, where the change rests on it. */
  change(ids: readonly bigint[], changes: PetChanges, by: Author, version?: bigint): Eventual<Outcome>
  remove(ids: readonly bigint[], by: Author, version?: bigint): Eventual<Outcome>
  /** Brings removed animals back as they were. */
  restore(ids: readonly bigint[], by: Author): Eventual<Outcome>
  /** Forgets animals that were removed before `beforeMs`; resolves to their number. */
  purge(beforeMs: number, by: Author): Eventual<number>
  /** Newest first. */
  journal(query: JournalQuery): Eventual<readonly JournalEntry[]>
  /**
   * Animals whose name holds the text, newest first. The index that makes this fast is brought up to date first;
   * `onIndexed` is told how many names each step of that has added.
   */
  find(query: FindQuery, onIndexed?: (names: number) => void): Eventual<readonly PetRecord[]>
  /** The names that people gave to categories, by the categories' numbers in ascending order. */
  categories(): Eventual<ReadonlyMap<bigint, string>>
  /** Names a category, or with undefined takes its name away. */
  label(categoryId: bigint, text: string | undefined, by: Author): Eventual<void>
}

/** Letters that Unicode does not take apart into a letter and an accent, and what people type for them. */
export const FOLDED_LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/** The name as `find` compares it: without accents, in lower case. PostgreSQL has the same as `pets_fold`. */
export function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return FOLDED_LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
}

/** What a change replaces and by what, or undefined when the animal is as wanted already. */
export function difference(pet: PetRow, changes: PetChanges): { from: string; to: string } | undefined {
  const from: string[] = []
  const to: string[] = []
  const compare = (member: string, before: string, after: string) => {
    if (before === after) return
    from.push(`"${member}":${before}`)
    to.push(`"${member}":${after}`)
  }
  if (changes.name !== undefined) compare('name', JSON.stringify(pet.name), JSON.stringify(changes.name))
  if (changes.categoryId !== undefined) compare('categoryId', pet.categoryId, changes.categoryId.toString())
  if (changes.status !== undefined) {
    compare('status', JSON.stringify(pet.status ?? null), JSON.stringify(changes.status))
  }
  return from.length === 0 ? undefined : { from: `{${from.join(',')}}`, to: `{${to.join(',')}}` }
}

/** What the journal says of a key that was issued, or that takes the place of `replaced`. */
export function issuedValues({ plan, perMinute, perDay, label, expiresAtMs }: Key, replaced?: string): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

/** What the journal says of a key that another one replaces. */
export function replacedValues(successor: Key, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
