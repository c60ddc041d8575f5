/**
 * The operator's side of the animals: find, correct, remove and restore them, and the journal of who did what and when.
 * None of it is an operation of the interface (O3), which shows only the results. Each change and its journal entry are
 * one transaction. A removed animal disappears from the interface at once and can be restored until it is purged; its
 * id is never given again (R4).
 */
import type { Eventual } from '../common/eventual.ts'
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { Key, PetRow } from './rows.ts'

/** Removed animals can be restored for so long, and are purged then. */
export const RESTORABLE_DAYS = 30
export const RESTORABLE_MS = RESTORABLE_DAYS * 86_400_000

/** How long the tokens of added animals are known: a form that is sent again is at most a day old. */
export const ONCE_KEPT_MS = 2 * 86_400_000

/** The author of a change, and its time. */
export interface Author {
  /** A person's name, or `cli` and the name of the system user. */
  readonly who: string
  /** Unix ms. */
  readonly atMs: number
}

/** New values of an animal. An absent member stays unchanged; a status of null removes it (O4). */
export interface PetChanges {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: PetStatus | null
}

export interface PetRecord extends PetRow {
  /** The number of its latest journal entry, 0 if there is none: it grows with every change. */
  readonly version: bigint
  /** Unix ms; undefined while the interface shows the animal. */
  readonly removedAtMs: number | undefined
}

/** An animal to be changed; with the version that the author read, if the change depends on it. */
export type Target = bigint | { readonly id: bigint; readonly version: bigint }

/** What happens to the others if some animals are missing or are not the version that the author read. */
export type Reach = 'all or none' | 'all that can be'

export interface Outcome {
  /** Without those that already had the values. */
  readonly changed: number
  /** All that the change reached, as they are now; none if nothing was done. */
  readonly pets: readonly PetRecord[]
  readonly missing: readonly bigint[]
  /** All that are not the version that the author read, as they are now. */
  readonly conflicts: readonly PetRecord[]
}

export interface Added {
  /** Undefined if it has been purged since. */
  readonly pet: PetRecord | undefined
  /** False if it was there already: the same form was sent again. */
  readonly isNew: boolean
}

export const JOURNAL_ACTS = [
  'add',
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
  'invite',
  'accept invitation',
  'revoke person',
  'sign in',
] as const
export type JournalAct = (typeof JOURNAL_ACTS)[number]

export interface JournalEntry {
  /** Counts up from 1. */
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  /** Decimal; undefined if the entry is not about a single animal. */
  readonly petId: string | undefined
  readonly keyId: string | undefined
  /** The values before and after, as JSON objects. */
  readonly from: string | undefined
  readonly to: string | undefined
}

export interface JournalQuery {
  readonly petId: bigint | undefined
  readonly keyId: string | undefined
  /** The author, in full. */
  readonly who?: string | undefined
  /** Unix ms; only entries since then. */
  readonly sinceMs: number | undefined
  /** Only entries older than this one: where the previous page ended. */
  readonly before: bigint | undefined
  readonly limit: number
}

export interface FindQuery {
  /** A part of the name, ignoring case and accents; the empty text finds every animal. */
  readonly text: string
  /** The text is the whole name. */
  readonly isWhole?: boolean
  /** `none` means animals without a status; undefined means any status. */
  readonly status: PetStatus | 'none' | undefined
  readonly limit: number
  /** Only animals with a smaller id. */
  readonly before?: bigint | undefined
  /** Only animals with a greater id, and of them the nearest to it. Not together with `before`. */
  readonly after?: bigint | undefined
  /** The search ends after this time, in ms, with what it has found. Without it, it waits for the index. */
  readonly withinMs?: number
}

export interface Found {
  /** Newest first. */
  readonly pets: readonly PetRecord[]
  /** Where the time was over: the `before` or `after` with which the search goes on. Undefined if it was not. */
  readonly stoppedAt: bigint | undefined
}

export interface PetRecords {
  /** An animal, removed or not; undefined if it never existed or has been purged. */
  get(id: bigint): Eventual<PetRecord | undefined>
  /**
   * Adds an animal in somebody's name. `once` is a token of the form that it comes from: the same token again, within
   * a day, adds nothing and returns the same animal.
   */
  add(pet: NewPet, by: Author, once: string): Eventual<Added>
  /** Who added these animals and when; only those that were added by `add`. */
  addedBy(ids: readonly bigint[]): Eventual<ReadonlyMap<bigint, Author>>
  /** All of these animals or none, unless `reach` says otherwise, in one transaction. */
  change(pets: readonly Target[], changes: PetChanges, by: Author, reach?: Reach): Eventual<Outcome>
  /** All of these animals or none. */
  remove(pets: readonly Target[], by: Author): Eventual<Outcome>
  /** Brings removed animals back as they were; all of them or none. */
  restore(ids: readonly bigint[], by: Author): Eventual<Outcome>
  /** Deletes animals for good that were removed before `beforeMs`; resolves to their number. */
  purge(beforeMs: number, by: Author): Eventual<number>
  /** Newest first. */
  journal(query: JournalQuery): Eventual<readonly JournalEntry[]>
  /**
   * Animals whose name contains the text. The index that makes this fast is brought up to date first, or meanwhile if
   * the time is limited; `onIndexed` is called with the number of names that each step has added.
   */
  find(query: FindQuery, onIndexed?: (names: number) => void): Eventual<Found>
  /** The names of categories, by number in ascending order. */
  categories(): Eventual<ReadonlyMap<bigint, string>>
  /** Names a category, or removes its name if undefined. */
  label(categoryId: bigint, text: string | undefined, by: Author): Eventual<void>
}

/** Letters that Unicode does not decompose into a letter and an accent, and what people type instead. */
export const FOLDED_LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/** Most text; a search that compares many texts takes a third of the time with this. */
const PLAIN_ASCII = /^[ -~]*$/

/** The name as `find` compares it: lower case, without accents. PostgreSQL has the same as `pets_fold`. */
export function fold(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase()
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return FOLDED_LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
}

/** The versions that the changes depend on; undefined for those that do not. */
export function versionsOf(targets: readonly Target[]): ReadonlyMap<bigint, bigint | undefined> {
  return new Map(targets.map((one) => (typeof one === 'bigint' ? [one, undefined] : [one.id, one.version])))
}

/** Which of the animals a change reaches, and which it does not; `pets` are those that were found. */
export function sortTargets(
  versions: ReadonlyMap<bigint, bigint | undefined>,
  pets: readonly PetRecord[],
  reach: Reach,
): {
  readonly reached: readonly PetRecord[]
  readonly missing: readonly bigint[]
  readonly conflicts: readonly PetRecord[]
} {
  const found = new Set(pets.map(({ id }) => BigInt(id)))
  const missing = [...versions.keys()].filter((id) => !found.has(id))
  const isCurrent = ({ id, version }: PetRecord) => (versions.get(BigInt(id)) ?? version) === version
  const conflicts = pets.filter((pet) => !isCurrent(pet))
  const isRefused = reach === 'all or none' && missing.length + conflicts.length > 0
  return { reached: isRefused ? [] : pets.filter(isCurrent), missing, conflicts }
}

/** What the journal says of an animal that was added. */
export function addedValues({ name, categoryId, status }: NewPet): string {
  const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}

/** The values that a change replaces, and the new ones; undefined if the animal already has them. */
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
