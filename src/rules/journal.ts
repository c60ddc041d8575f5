/** The contents of the journal: its acts, and the values before and after as JSON with an exact int64. */
import type { Ban, KeyTerms } from './keys.ts'
import type { AnimalChanges } from './members.ts'
import type { AnimalFilter } from './search.ts'

/** The acts, by the kinds of the journal's filter. */
export const ACTS_OF = {
  add: ['add'],
  change: ['edit', 'edit several', 'undo several'],
  remove: ['remove', 'restore', 'purge', 'remove several', 'restore several'],
  import: ['import', 'sync', 'undo import'],
  category: ['label', 'merge', 'undo merge', 'word', 'shelter'],
  export: ['export'],
  key: ['issue key', 'revoke key', 'rotate key', 'edit key', 'ban key', 'unban key'],
  person: [
    'invite',
    'accept invitation',
    'revoke person',
    'sign out everywhere',
    'reset passphrase',
    'change passphrase',
    'change role',
    'rename person',
    'free name',
  ],
  session: ['sign in', 'sign out'],
} as const
export type JournalKind = keyof typeof ACTS_OF
export type JournalAct = (typeof ACTS_OF)[JournalKind][number]

export const JOURNAL_ACTS: readonly JournalAct[] = Object.values(ACTS_OF).flat()
export const JOURNAL_KINDS = Object.keys(ACTS_OF) as readonly JournalKind[]
/** Acts on animals, which managers and staff see. */
export const OF_ANIMALS: readonly JournalKind[] = ['add', 'change', 'remove', 'import', 'category']

/** For the new values of several animals. */
export function severalValues(changes: AnimalChanges): string {
  const json = (value: unknown) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))
  return `{${Object.entries(changes).map(([name, value]) => `"${name}":${json(value)}`)}}`
}

/** For a category that was named, or lost its name. */
export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

/** For the shelter's word for a status; null is the standard word. */
export function wordValues(status: string, word: string | undefined): string {
  return JSON.stringify({ of: status, word: word ?? null })
}

/** For an import or a sync. */
export function importedValues(animals: number, source: string): string {
  return JSON.stringify({ animals, source })
}

/** For the undo of an import or a sync: the numbers of animals removed and restored. */
export function undoneValues(removed: number, putBack?: number): string {
  return JSON.stringify({ animals: removed, putBack })
}

/** For an export. Without a filter it contains all animals. */
export function exportedValues(format: string, { text, status, categoryId, importN }: AnimalFilter): string {
  const category = categoryId === undefined ? '' : `,"categoryId":${categoryId}`
  const ofImport = importN === undefined ? '' : `,"import":${importN}`
  return `${JSON.stringify({ format, text: text || undefined, status }).slice(0, -1)}${category}${ofImport}}`
}

/** For a person invited or revoked, or with a new link, role or name. */
export function personValues({ name, role }: { readonly name: string; readonly role: string }): string {
  return JSON.stringify({ person: name, role })
}

type ExpiringTerms = KeyTerms & { readonly expiresAtMs: number | undefined }

/** For a new key, or one that replaces `replaced`. */
export function issuedValues(
  { plan, perMinute, perDay, label, expiresAtMs }: ExpiringTerms,
  replaced?: string,
): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

/** For a replaced key. */
export function replacedValues(successor: { readonly id: string }, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

/** For a key whose expiry is restored; null for none. */
export function expiryValue(expiresAtMs: number | undefined): string {
  return JSON.stringify({ expires: isoOf(expiresAtMs) ?? null })
}

/** For an edited key: the terms that differ, before and after. */
export function editedValues(old: KeyTerms, now: KeyTerms): { readonly from: string; readonly to: string } | undefined {
  const names = (['plan', 'perMinute', 'perDay', 'label'] as const).filter((name) => old[name] !== now[name])
  const valuesOf = (terms: KeyTerms) => JSON.stringify(Object.fromEntries(names.map((name) => [name, terms[name]])))
  return names.length === 0 ? undefined : { from: valuesOf(old), to: valuesOf(now) }
}

/** For a ban that began or was lifted. */
export function bannedValues({ atMs, untilMs }: Pick<Ban, 'atMs' | 'untilMs'>): string {
  return JSON.stringify({ banned: isoOf(atMs), until: isoOf(untilMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
