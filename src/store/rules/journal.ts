/**
 * What the journal says: its acts, and the values of an entry before and after, as JSON objects. Every engine writes
 * the same text, an int64 with all its digits.
 */
import type { NewPet } from '../../contract/schemas.ts'
import type { Key } from '../rows.ts'
import type { Role } from './roles.ts'

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
  'sign out',
  'reset passphrase',
  'change role',
  'export',
] as const
export type JournalAct = (typeof JOURNAL_ACTS)[number]

/** Of an animal that was added. */
export function addedValues({ name, categoryId, status }: NewPet): string {
  const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}

/** Of a category, with its name or without. */
export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

/** Of an import; its number comes first, by which the engines find the entry. */
export function importedValues(n: bigint, animals: number, source: string): string {
  return `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}`
}

/** Of an import that was undone: how many of its animals went. */
export function undoneValues(n: bigint, removed: bigint | number): string {
  return `{"import":${n},"animals":${removed}}`
}

/** Of an export of all animals. */
export function exportedValues(format: string): string {
  return JSON.stringify({ format })
}

/** Of a person who is invited or revoked, or gets a new link or another role. */
export function personValues({ name }: { readonly name: string }, role: Role): string {
  return JSON.stringify({ person: name, role })
}

/** Of a key that was issued, or that takes the place of `replaced`. */
export function issuedValues({ plan, perMinute, perDay, label, expiresAtMs }: Key, replaced?: string): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

/** Of a key that another one replaces. */
export function replacedValues(successor: Key, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
