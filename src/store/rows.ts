/** Animals, keys and counts as they are stored. */
import type { Plan } from '../contract/plans.ts'
import { isPetStatus, type PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from './bounds.ts'
import { type Row, table } from './sql.ts'

/** The Pet of the interface as it is stored, int64 as decimal text (R4, R5). */
export interface StoredPet {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: PetStatus | undefined
}

/** An animal as people see it. */
export interface PetRecord extends StoredPet {
  /** The number of its latest journal entry, 0 if there is none: it grows with every change. */
  readonly version: bigint
  /** Unix ms; undefined while the interface shows the animal. */
  readonly removedAtMs: number | undefined
}

export interface Key {
  /** Identifies the key in commands and logs; not secret. */
  readonly id: string
  /** The lineage whose counters the key uses: a rotated key shares those of the key that it replaces. */
  readonly lineage: string
  readonly plan: Plan
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** To the minute. */
  readonly lastUsedAtMs: number | undefined
  /** The latest ban of its lineage, whether it is over or not. */
  readonly ban?: Ban
  /** The `untilMs` of the ban of its lineage that was lifted last. */
  readonly liftedUntilMs?: number
}

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

/** The beginning of a statement whose rows `toRecord` takes. */
export function selectPets(pets: 'pets' | 'removed_pets', isBrief: boolean): string {
  return `SELECT ${record(pets, isBrief ? `substr(name, 1, ${BRIEF_NAME + 1})` : 'name').columns} FROM ${pets}`
}

function record(pets: 'pets' | 'removed_pets', name: string) {
  return table({
    id: 'text',
    name: ['text', name],
    categoryId: 'text',
    status: 'text?',
    version: ['bigint', `(SELECT max(n) FROM journal WHERE pet_id = ${pets}.id)`],
    removedAtMs: ['int?', pets === 'pets' ? 'CAST(NULL AS bigint)' : 'removed_at_ms'],
  })
}

const RECORD = record('pets', 'name')

export function toRecord(row: Row): PetRecord {
  const { status, ...pet } = RECORD.row(row)
  return { ...pet, status: isPetStatus(status) ? status : undefined }
}
