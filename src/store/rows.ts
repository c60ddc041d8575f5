/** Animals and keys as engines store them. */
import type { Plan } from '../contract/plans.ts'
import type { PetStatus } from '../contract/schemas.ts'

/** The Pet of the interface as it is stored, int64 as decimal text (R4, R5). */
export interface StoredPet {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: PetStatus | undefined
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
}
