/** A sync: what it does with an animal, what the journal says of it, and what it refuses unless it is agreed to. */
import { importPrefix, type JournalAct, missingPrefix } from './journal.ts'
import { difference, type PublicMembers } from './members.ts'

/** What becomes of an animal whose reference the list does not have any more. */
export const MISSING = ['keep', 'sold', 'remove'] as const
export type Missing = (typeof MISSING)[number]

/** What a sync does with an animal. */
export type SyncKind = 'added' | 'adopted' | 'changed' | 'restored' | 'marked' | 'removed'

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

/** Why nothing was done. */
export type SyncRefusal =
  | { readonly why: 'alike' }
  | { readonly why: 'too many'; readonly touched: number; readonly referenced: number }
  /** So many references stand for animals of another name and category now; the first as it is here and in the list. */
  | { readonly why: 'reassigned'; readonly animals: number; readonly first: SyncChange }
  /**
   * More than half of the references are not in the list any more, and at least half of these animals are alike to new
   * rows: the first of them with the reference before and in the list.
   */
  | {
      readonly why: 'renumbered'
      readonly vanished: number
      readonly alike: number
      readonly pairs: readonly (readonly [before: string, now: string])[]
    }

export const SYNC_ACTS: Readonly<Record<SyncKind, JournalAct>> = {
  added: 'add',
  adopted: 'edit',
  changed: 'edit',
  restored: 'restore',
  marked: 'edit',
  removed: 'remove',
}

/** For an animal that a sync changes. The number of the sync comes first: its undo finds the entries by it. */
export function syncedValues(n: bigint, { kind, reference, now, before }: SyncChange): { from?: string; to: string } {
  const was = kind === 'adopted' && before ? { ...before, reference: null } : before
  const values = difference(was ?? {}, kind === 'added' || kind === 'adopted' ? { ...now, reference } : now)
  const to = `${kind === 'marked' ? missingPrefix(n) : importPrefix(n)}${values === undefined ? '' : `,${values.to.slice(1, -1)}`}}`
  return values === undefined || values.from === '{}' ? { to } : { from: values.from, to }
}

/** Animals and rows of a sync, counted before it does anything. */
export interface SyncFigures {
  /** Animals that have a reference. */
  readonly referenced: number
  /** Of them those that would change, be marked or be removed. */
  readonly touched: number
  /** Of them those that would get another name and category at once. */
  readonly reassigned: number
  /** Of them those whose reference the list does not have any more. */
  readonly vanished: number
  /** Of the vanished those that are alike to new rows. */
  readonly vanishedAlike: number
  /** New rows that are alike to animals without a reference. */
  readonly alike: number
}

export interface SyncConsent {
  /** Goes on although the other system seems to have given its animals new references. */
  readonly renumbers: boolean
  /** Goes on although many animals would get another name and category at once: they are the same ones. */
  readonly renames: boolean
  /**
   * Whether an animal without a reference takes that of the one new row with its name and category, where it is the
   * only such animal and not sold; or the references of the rows of which it does. Undefined: nothing is done if there
   * are animals with the name and the category of a new row.
   */
  readonly adopts: boolean | readonly string[] | undefined
  /** The sync is refused if a larger share of the referenced animals would change or be removed; 0 to 1. */
  readonly maxChangedShare: number
}

/** Unless somebody says another share. */
export const MAX_CHANGED_SHARE = 0.1

/** Whoever agrees to the new references of a list agrees to however many change by them, and the other way round. */
export function consentTo(agrees: boolean, share = MAX_CHANGED_SHARE) {
  return { renumbers: agrees, maxChangedShare: agrees ? 1 : share }
}

/** Fewer animals may get another name and category at once: a mistake that was corrected. */
const LEAST_REASSIGNED = 2
/** Of all that have a reference, whatever share may change otherwise. */
const MOST_REASSIGNED = 0.1

/** The first reason against a sync. `renumbered`: half of the vanished, who are more than half of all, seem new rows. */
export function whyRefused(
  { referenced, touched, reassigned, vanished, vanishedAlike, alike }: SyncFigures,
  { renumbers, renames, adopts, maxChangedShare }: SyncConsent,
): 'renumbered' | 'reassigned' | 'too many' | 'alike' | undefined {
  if (!renumbers && 2 * vanished > referenced && 2 * vanishedAlike >= vanished) return 'renumbered'
  if (!renames && reassigned >= LEAST_REASSIGNED && reassigned > MOST_REASSIGNED * referenced) return 'reassigned'
  if (touched > maxChangedShare * referenced) return 'too many'
  return adopts === undefined && alike > 0 ? 'alike' : undefined
}
