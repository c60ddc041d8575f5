/** Animals, keys and counts as they are stored. */
import { isPlan, type Plan } from '../contract/plans.ts'
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from './bounds.ts'
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

/** What can be changed of a key. */
export type KeyTerms = Pick<Key, 'plan' | 'perMinute' | 'perDay' | 'label'>

/** A ban as the service noted it when it began (R17): until when, why, and how often. */
export interface Ban {
  readonly atMs: number
  readonly untilMs: number
  /** So many refusals within so long began it. */
  readonly refusals: number
  readonly withinMs: number
  /** The window that refused, and its limit. */
  readonly window: 'minute' | 'day'
  readonly limit: number
  /** How many bans the lineage has had, this one included. */
  readonly count: number
}

/** The animals of a table, with their versions; only the beginnings of names if `isBrief`. */
export function petsIn(pets: 'pets' | 'removed_pets', isBrief = false) {
  return table({
    id: 'text',
    name: ['text', isBrief ? `substr(name, 1, ${BRIEF_NAME + 1})` : 'name'],
    categoryId: 'text',
    status: toStatus,
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
