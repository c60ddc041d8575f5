/** What a sync does with an animal, writes to the journal, and asks a person about. */
import type { JournalAct } from './journal.ts'
import { difference, type PublicMembers } from './members.ts'

export const MISSING = ['keep', 'sold', 'remove'] as const
export type Missing = (typeof MISSING)[number]

/** What a sync does with an animal. `left`: it left the shelter, so it has no status. */
export type SyncKind = 'added' | 'adopted' | 'changed' | 'restored' | 'left' | 'marked' | 'removed'

export interface SyncChange {
  readonly kind: SyncKind
  /** Undefined for an added animal. */
  readonly id: bigint | undefined
  readonly reference: string
  readonly now: PublicMembers
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

/** Whether the list says that an animal left, and gives it no status for that. */
export function hasLeft({ kind, now }: SyncChange): boolean {
  return kind === 'left' && now.status === null
}

/**
 * The journal's values of a changed animal. `missing`: it was set to sold only because it was missing. `left`: the list
 * says that it left, or has it again without another change.
 */
export function syncedValues(change: SyncChange) {
  const { kind, reference, now, before } = change
  const was = kind === 'adopted' && before ? { ...before, reference: null } : before
  const values = difference(was ?? {}, kind === 'added' || kind === 'adopted' ? { ...now, reference } : now)
  const marks: Readonly<Partial<Record<SyncKind, string | false>>> = {
    marked: '"missing":true',
    left: hasLeft(change) && '"left":true',
    changed: values === undefined && '"left":false',
  }
  const mark = marks[kind]
  return mark ? { ...values, to: values ? `{${mark},${values.to.slice(1)}` : `{${mark}}` } : values
}

/** Animals and rows of a sync, counted before it changes anything. */
export interface SyncFigures {
  readonly referenced: number
  /** Of these, animals that would change or go. */
  readonly touched: number
  readonly reassigned: number
  readonly vanished: number
  readonly vanishedAlike: number
}

/** The share of animals that can change or go without a person's consent. */
const MOST_TOUCHED = 0.1

/** What a person must confirm: that many animals change or go, or that references mean other animals. */
export function needsAgreement({ referenced, touched, reassigned, vanished, vanishedAlike }: SyncFigures): boolean {
  const isRenumbered = 2 * vanished > referenced && 2 * vanishedAlike >= vanished && vanished > 0
  return touched > MOST_TOUCHED * referenced || reassigned > 0 || isRenumbered
}
