/** The contents of the journal: its acts, and the values before and after as JSON with an exact int64. */
import type { Ban, KeyTerms } from './keys.ts'
import type { AnimalChanges } from './members.ts'
import type { AnimalFilter } from './search.ts'

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

export function severalValues(changes: AnimalChanges): string {
  const json = (value: unknown) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))
  return `{${Object.entries(changes).map(([name, value]) => `"${name}":${json(value)}`)}}`
}

export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

export function wordValues(status: string, word: string | undefined): string {
  return JSON.stringify({ of: status, word: word ?? null })
}

export function importedValues(animals: number, source: string): string {
  return JSON.stringify({ animals, source })
}

export function undoneValues(removed: number, putBack?: number): string {
  return JSON.stringify({ animals: removed, putBack })
}

export function exportedValues(format: string, { text, status, categoryId, importN }: AnimalFilter): string {
  const category = categoryId === undefined ? '' : `,"categoryId":${categoryId}`
  const ofImport = importN === undefined ? '' : `,"import":${importN}`
  return `${JSON.stringify({ format, text: text || undefined, status }).slice(0, -1)}${category}${ofImport}}`
}

export function personValues({ name, role }: { readonly name: string; readonly role: string }): string {
  return JSON.stringify({ person: name, role })
}

type ExpiringTerms = KeyTerms & { readonly expiresAtMs: number | undefined }

export function issuedValues(
  { plan, perMinute, perDay, label, expiresAtMs }: ExpiringTerms,
  replaced?: string,
): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

export function replacedValues(successor: { readonly id: string }, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

export function expiryValue(expiresAtMs: number | undefined): string {
  return JSON.stringify({ expires: isoOf(expiresAtMs) ?? null })
}

export function editedValues(old: KeyTerms, now: KeyTerms): { readonly from: string; readonly to: string } | undefined {
  const names = (['plan', 'perMinute', 'perDay', 'label'] as const).filter((name) => old[name] !== now[name])
  const valuesOf = (terms: KeyTerms) => JSON.stringify(Object.fromEntries(names.map((name) => [name, terms[name]])))
  return names.length === 0 ? undefined : { from: valuesOf(old), to: valuesOf(now) }
}

export function bannedValues({ atMs, untilMs }: Pick<Ban, 'atMs' | 'untilMs'>): string {
  return JSON.stringify({ banned: isoOf(atMs), until: isoOf(untilMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
