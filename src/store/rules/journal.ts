/**
 * What the journal says: its acts, and the values of an entry before and after, as JSON objects. Every engine writes
 * the same text, an int64 with all its digits.
 */
import type { NewPet } from '../../contract/schemas.ts'
import type { Ban, Key, KeyTerms } from '../rows.ts'
import type { PetValues, SyncChange, SyncKind } from '../sync.ts'
import type { Role } from './roles.ts'

export const JOURNAL_ACTS = [
  'add',
  'edit',
  'remove',
  'restore',
  'purge',
  'label',
  'merge',
  'undo merge',
  'word',
  'import',
  'sync',
  'undo import',
  'issue key',
  'revoke key',
  'rotate key',
  'edit key',
  'unban key',
  'invite',
  'accept invitation',
  'revoke person',
  'sign in',
  'sign out',
  'sign out everywhere',
  'reset passphrase',
  'change role',
  'export',
] as const
export type JournalAct = (typeof JOURNAL_ACTS)[number]

/** For an added animal. */
export function addedValues({ name, categoryId, status }: NewPet): string {
  const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}

/** For a category that was named, or whose name was removed. */
export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

/** For a merge, and for its undo: the category that got the animals, and how many. Its number comes first. */
export function mergeValues(n: bigint, categoryId: bigint, animals: number | bigint): string {
  return `{"merge":${n},"categoryId":${categoryId},"animals":${animals}}`
}

/** For a word that a shelter has for a status; null is the interface's. */
export function wordValues(status: string, word: string | undefined): string {
  return JSON.stringify({ of: status, word: word ?? null })
}

/** Why an import that names categories adds nothing. */
export const NAMED_MEANWHILE =
  'Categories were named while the file was read; nothing was imported. Look at `pets categories`, and import again.'

/** For an import or a sync. Its number comes first: engines find the entry by it. */
export function importedValues(n: bigint, animals: number, source: string): string {
  return `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}`
}

/** For the undo of an import: how many animals it removed. */
export function undoneValues(n: bigint, removed: bigint | number): string {
  return `{"import":${n},"animals":${removed}}`
}

/** For the undo of a sync: how many animals it removed, and how many it put back as they were. */
export function undoneSyncValues(n: bigint, removed: number, putBack: number): string {
  return `{"import":${n},"animals":${removed},"putBack":${putBack}}`
}

export const SYNC_ACTS: Readonly<Record<SyncKind, JournalAct>> = {
  added: 'add',
  adopted: 'edit',
  changed: 'edit',
  restored: 'restore',
  marked: 'edit',
  removed: 'remove',
}

/** The acts by which an undo takes back those of a sync. */
export const UNDOING_ACTS: Readonly<Partial<Record<JournalAct, JournalAct>>> = {
  add: 'remove',
  edit: 'edit',
  restore: 'remove',
  remove: 'restore',
}

/** For an animal that a sync changes. The number of the sync comes first: its undo finds the entries by it. */
export function syncedValues(n: bigint, { kind, reference, now, before }: SyncChange): { from?: string; to: string } {
  const [from, to]: [string[], string[]] = [[], [`"import":${n}`]]
  const compare = (member: string, before: string | undefined, after: string) => {
    if (before === after) return
    if (before !== undefined) from.push(`"${member}":${before}`)
    to.push(`"${member}":${after}`)
  }
  for (const [index, [member, after]] of membersOf(now).entries()) {
    const was = before && membersOf(before)[index]?.[1]
    if (was !== undefined || after !== 'null') compare(member, was, after)
  }
  if (kind === 'added') compare('reference', undefined, JSON.stringify(reference))
  if (kind === 'adopted') compare('reference', 'null', JSON.stringify(reference))
  return { ...(from.length > 0 && { from: `{${from}}` }), to: `{${to}}` }
}

function membersOf({ name, categoryId, status }: PetValues): readonly (readonly [string, string])[] {
  return [
    ['name', JSON.stringify(name)],
    ['categoryId', categoryId.toString()],
    ['status', JSON.stringify(status)],
  ]
}

interface Exported {
  readonly text: string
  readonly status: string | undefined
  readonly categoryId?: bigint | undefined
}

/** For an export; without a text, status and category it is one of all animals. */
export function exportedValues(format: string, { text, status, categoryId }: Exported): string {
  const category = categoryId === undefined ? '' : `,"categoryId":${categoryId}`
  return `${JSON.stringify({ format, text: text || undefined, status }).slice(0, -1)}${category}}`
}

/** For a person invited or revoked, or given a new link or role. */
export function personValues({ name }: { readonly name: string }, role: Role): string {
  return JSON.stringify({ person: name, role })
}

/** For a key that was issued, or that replaces `replaced`. */
export function issuedValues({ plan, perMinute, perDay, label, expiresAtMs }: Key, replaced?: string): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

/** For a key that was replaced. */
export function replacedValues(successor: Key, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

/** Before and after, for a key that was edited: the terms that differ; undefined where none does. */
export function editedValues(old: KeyTerms, now: KeyTerms): { readonly from: string; readonly to: string } | undefined {
  const names = (['plan', 'perMinute', 'perDay', 'label'] as const).filter((name) => old[name] !== now[name])
  const valuesOf = (terms: KeyTerms) => JSON.stringify(Object.fromEntries(names.map((name) => [name, terms[name]])))
  return names.length === 0 ? undefined : { from: valuesOf(old), to: valuesOf(now) }
}

/** For a ban that was lifted. */
export function bannedValues({ atMs, untilMs }: Ban): string {
  return JSON.stringify({ banned: isoOf(atMs), until: isoOf(untilMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
