/** Animals, keys and counts as they are stored. */
import { isPlan, type Plan } from '../contract/plans.ts'
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from '../rules/bounds.ts'
import type { Ban } from '../rules/keys.ts'
import type { PetMembers } from '../rules/members.ts'
import { table } from './sql.ts'

/** The Pet of the interface as it is stored, int64 as decimal text (R4, R5). */
export interface StoredPet {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: PetStatus | undefined
}

/** A key, of which a service knows the hash alone. */
export const KEY = table({
  /** Identifies the key in commands and logs; not secret. */
  id: 'text',
  /** The lineage whose counters the key uses: a rotated key shares those of the key that it replaces. */
  lineage: 'text',
  plan(cell): Plan {
    if (typeof cell === 'string' && isPlan(cell)) return cell
    throw new Error(`a key is on a plan that this version does not know: ${cell}`)
  },
  perMinute: 'int',
  perDay: 'int',
  label: 'text',
  createdAtMs: 'int',
  expiresAtMs: 'int?',
  revokedAtMs: 'int?',
  /** To the minute. */
  lastUsedAtMs: 'int?',
  /** The latest ban of its lineage, whether it is over or not. */
  ban: (cell) => (typeof cell === 'string' ? (JSON.parse(cell) as Ban) : undefined),
  /** The `untilMs` of the ban of its lineage that was lifted last. */
  liftedUntilMs: 'int?',
})

export type Key = ReturnType<typeof KEY.row>

/** A row of id, name, category and status. */
export const STORED_PET = table({ id: 'text', name: 'text', categoryId: 'text', status: toStatus })

/** The members of an animal that its row has; its reference has a table of its own. */
const STORED = {
  name: 'text',
  categoryId: 'text',
  status: toStatus,
} as const satisfies Record<Exclude<keyof PetMembers, 'reference'>, unknown>

/** The animals of a table, with their versions; only the beginnings of names if `isBrief`. */
export function petsIn(pets: 'pets' | 'removed_pets', isBrief = false) {
  return table({
    id: 'text',
    ...STORED,
    name: ['text', isBrief ? `substr(name, 1, ${BRIEF_NAME + 1})` : 'name'],
    /** The number of its latest journal entry, 0 if there is none: it grows with every change. */
    version: ['bigint', `(SELECT max(n) FROM journal WHERE pet_id = ${pets}.id)`],
    /** Unix ms; undefined while the interface shows the animal. */
    removedAtMs: ['int?', pets === 'pets' ? 'CAST(NULL AS bigint)' : 'removed_at_ms'],
  })
}

/** An animal as people see it. */
export type PetRecord = ReturnType<ReturnType<typeof petsIn>['row']>

export function toStatus(cell: unknown): PetStatus | undefined {
  return isPetStatus(cell) ? cell : undefined
}
