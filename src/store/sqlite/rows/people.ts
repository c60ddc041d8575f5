/** How a row of the table of people is read, by the service and by its writer. */

import type { PersonRecord } from '../../people.ts'
import { isRole } from '../../rules/roles.ts'

export const PERSON =
  'n, name, folded, role, passphrase, created_at_ms, last_seen_at_ms, revoked_at_ms, invitation_ends_at_ms'

type PersonRow = [
  n: bigint,
  name: string,
  folded: string,
  role: string,
  passphrase: string | null,
  createdAtMs: bigint,
  lastSeenAtMs: bigint | null,
  revokedAtMs: bigint | null,
  invitationEndsAtMs: bigint | null,
]

/** `row` begins with the columns of PERSON. */
export function toPerson(row: unknown): PersonRecord | undefined {
  if (row === undefined) return undefined
  const [n, name, folded, role, passphrase, createdAtMs, lastSeenAtMs, revokedAtMs, invitationEndsAtMs] =
    row as PersonRow
  if (!isRole(role)) throw new Error(`${name} has a role that this version does not know: ${role}`)
  return {
    n,
    name,
    folded,
    role,
    passphrase: passphrase ?? undefined,
    createdAtMs: Number(createdAtMs),
    lastSeenAtMs: lastSeenAtMs === null ? undefined : Number(lastSeenAtMs),
    revokedAtMs: revokedAtMs === null ? undefined : Number(revokedAtMs),
    invitationEndsAtMs: invitationEndsAtMs === null ? undefined : Number(invitationEndsAtMs),
  }
}
