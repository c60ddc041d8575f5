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

/** For an added animal. */
export function addedValues({ name, categoryId, status }: NewPet): string {
  const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}

/** For a category that was named, or whose name was removed. */
export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

/** For an import. Its number comes first: engines find the entry by it. */
export function importedValues(n: bigint, animals: number, source: string): string {
  return `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}`
}

/** For the undo of an import: how many animals it removed. */
export function undoneValues(n: bigint, removed: bigint | number): string {
  return `{"import":${n},"animals":${removed}}`
}

/** For an export of all animals. */
export function exportedValues(format: string): string {
  return JSON.stringify({ format })
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

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}
