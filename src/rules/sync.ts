/** A sync: what it does with an animal, what the journal says of it, and what a person must agree to. */
import type { JournalAct } from './journal.ts'
import { difference, type PublicMembers } from './members.ts'

/** What becomes of an animal that is missing from its list. */
export const MISSING = ['keep', 'sold', 'remove'] as const
export type Missing = (typeof MISSING)[number]

/** What a sync does with an animal. `left`: the list says that it left the shelter, so it has no status. */
export type SyncKind = 'added' | 'adopted' | 'changed' | 'restored' | 'left' | 'marked' | 'removed'

/** One animal that a sync changes, as it is then and as it was before. */
export interface SyncChange {
  readonly kind: SyncKind
  /** Undefined for one that is added. */
  readonly id: bigint | undefined
  readonly reference: string
  readonly now: PublicMembers
  /** Undefined for one that is added. */
  readonly before: PublicMembers | undefined
}

export const SYNC_ACTS: Readonly<Record<SyncKind, JournalAct>> = {
  added: 'add',
  adopted: 'edit',
  changed: 'edit',
  restored: 'restore',
  left: 'edit',
  marked: 'edit',
  removed: 'remove',
}

/** The journal's values for an animal that a sync changes; `missing` if it is only marked sold for not being listed. */
export function syncedValues({ kind, reference, now, before }: SyncChange) {
  const was = kind === 'adopted' && before ? { ...before, reference: null } : before
  const values = difference(was ?? {}, kind === 'added' || kind === 'adopted' ? { ...now, reference } : now)
  return kind === 'marked' && values ? { ...values, to: `{"missing":true,${values.to.slice(1)}` } : values
}

/** Animals and rows of a sync, counted before it does anything. */
export interface SyncFigures {
  /** Animals of the list before. */
  readonly referenced: number
  /** Of them those that would change, leave, be marked or be removed. */
  readonly touched: number
  /** References that stand for animals of another name and category now. */
  readonly reassigned: number
  /** Animals that are missing from the list. */
  readonly vanished: number
  /** Of the vanished those that are like new rows. */
  readonly vanishedAlike: number
}

/** The share of the animals that may change or go before a person agrees. */
const MOST_TOUCHED = 0.1

/** What a person must agree to first: that many animals change or go, or that references mean other animals. */
export function needsAgreement({ referenced, touched, reassigned, vanished, vanishedAlike }: SyncFigures): boolean {
  const isRenumbered = 2 * vanished > referenced && 2 * vanishedAlike >= vanished && vanished > 0
  return touched > MOST_TOUCHED * referenced || reassigned > 0 || isRenumbered
}
