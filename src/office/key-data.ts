/** What the office's routes say of keys (./office-data.ts lists them). Types only, for the page too. */
import type { Plan } from '../contract/plans.ts'
import type { WindowUse } from '../operator/dashboard-data.ts'
import type { LedgerOperation, Sums } from '../store/ledger.ts'
import type { Ban } from '../store/rows.ts'
import type { KeyState } from '../store/store.ts'

export interface OfficeKey {
  readonly id: string
  readonly label: string
  readonly plan: Plan
  readonly state: KeyState
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly lastUsedAtMs: number | null
  readonly minute: WindowUse
  readonly day: WindowUse
  /** Requests with this key that this process has refused. */
  readonly refused: number
  /** Null unless it is banned. */
  readonly bannedUntilMs: number | null
  /** The latest ban that was noted, whether it is over or not. */
  readonly ban: Ban | null
}

export interface KeyDetails {
  readonly key: OfficeKey
  /** The newest key of its lineage, if that is another one. */
  readonly successor: { readonly id: string; readonly createdAtMs: number } | null
}

/** What a key was used for, with those that it replaced and that replaced it, out of the ledger. */
export interface KeyUse {
  readonly key: OfficeKey
  /** By day (UTC) and operation: those of the last 60 days that are not zero, in the order of time. */
  readonly days: readonly { readonly dayMs: number; readonly operation: LedgerOperation; readonly sums: Sums }[]
  /** The first instant of today, UTC. */
  readonly todayMs: number
}

export interface KeyPage {
  readonly total: number
  /** How many keys the search found. */
  readonly found: number
  readonly page: number
  readonly pages: number
  /** When this process began to count refusals. */
  readonly refusedSinceMs: number
  readonly keys: readonly OfficeKey[]
}

export interface NewKey {
  readonly label: string
  readonly plan: Plan
  /** Both for the Enterprise plan, and only for it. */
  readonly perMinute?: number
  readonly perDay?: number
  readonly expiresAtMs?: number
  readonly passphrase: string
}

/** What a key gets instead of what it has; what is not named stays. */
export type KeyTerms = Partial<Pick<NewKey, 'label' | 'plan' | 'perMinute' | 'perDay'>>

export interface IssuedKey {
  readonly key: OfficeKey
  /** Shown once. */
  readonly secret: string
  /** When the replaced key stops working; null for a new key. */
  readonly oldUntilMs: number | null
}
