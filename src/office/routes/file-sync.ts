/**
 * An upload that updates the animals that are there: a list of another system, whose animals are known by the column of
 * its references, is synced as `pets sync` does it. Animals without a reference that the list clearly means take it.
 */

import { describeRenumbering } from '../../animals-file/deduplicator.ts'
import type { AnimalsFile } from '../../animals-file/read.ts'
import type { PetStatus } from '../../contract/schemas.ts'
import type { Author } from '../../store/author.ts'
import type { Missing, PetValues, SyncOutcome } from '../../store/sync.ts'
import type { SyncPreview } from '../import-data.ts'
import { brief } from './animals.ts'
import { invalid, type OfficeOptions, whileAllowed } from './routes.ts'

/** More of the animals with a reference than this share change or go only where the person has agreed to it. */
const MAX_CHANGED_SHARE = 0.1

interface UpdateOptions {
  readonly by: Author
  readonly source: string
  readonly missing: Missing
  /** Whether the person has seen how many animals change or go. */
  readonly agrees: boolean
  readonly dryRun: boolean
  /** Names of categories that the list brings. */
  readonly newCategories: ReadonlyMap<bigint, string>
  /** Throws OfficeRefusal. */
  readonly mayGoOn: () => Promise<void>
}

/** Throws UnreadableFile, BadRows, OfficeRefusal, StoreUnusable or StoreUnavailable. */
export function updateFrom(
  reading: AnimalsFile,
  { by, source, missing, agrees, dryRun, newCategories, mayGoOn }: UpdateOptions,
  { sync }: OfficeOptions['store'],
): Promise<SyncOutcome> {
  const asked = {
    by,
    source,
    missing,
    adopts: true,
    maxChangedShare: agrees ? 1 : MAX_CHANGED_SHARE,
    agrees,
    dryRun,
    newCategories,
  }
  return sync.run(whileAllowed(reading.syncBatches(), mayGoOn), asked)
}

export function toSyncPreview({ counts, changes, alike, unclearRows, unlisted, refusal }: SyncOutcome): SyncPreview {
  return {
    counts,
    changes: changes.map(({ kind, id, reference, before, now }) => ({
      ...{ kind, id: id?.toString() ?? null, reference: brief(reference) },
      ...{ before: before === undefined ? null : toValues(before), now: toValues(now) },
    })),
    unclear: alike,
    unclearRows: toUnclear(unclearRows),
    unlisted,
    tooMany: toTooMany(refusal),
  }
}

/** The pairs of a row and an animal, by the row. */
function toUnclear(pairs: SyncOutcome['unclearRows']): SyncPreview['unclearRows'] {
  return [...Map.groupBy(pairs, ({ reference }) => reference)].map(([reference, ofRow]) => ({
    ...{ reference: brief(reference), name: brief(ofRow[0]?.name ?? '') },
    ids: ofRow.map(({ id }) => id.toString()),
  }))
}

function toTooMany(refusal: SyncOutcome['refusal']): SyncPreview['tooMany'] {
  if (refusal?.why === 'renumbered') return { changed: refusal.alike, of: refusal.vanished }
  return refusal?.why === 'too many' ? { changed: refusal.touched, of: refusal.referenced } : null
}

/** What a person should know before agreeing. */
export function warningsOf({ refusal }: SyncOutcome): readonly string[] {
  if (refusal?.why !== 'renumbered') return []
  const [[before, now] = ['', '']] = refusal.pairs
  return [
    `${refusal.vanished} animals are not in the file any more, and ${refusal.alike} of them look like new ones of it (${brief(before)} is now ${brief(now)}): ${describeRenumbering(refusal.pairs)}.`,
  ]
}

function toValues({ name, categoryId, status }: PetValues) {
  return { name: brief(name), categoryId: categoryId.toString(), status: status as PetStatus | null }
}

/** Throws OfficeRefusal if the animals do not agree with the list now. */
export function assertUpdated({ refusal }: SyncOutcome): void {
  if (refusal === undefined) return
  if (refusal.why === 'too many') {
    const { touched, referenced } = refusal
    throw invalid(`${touched} of ${referenced} animals of the list would change or go; nothing was changed.`)
  }
  if (refusal.why === 'renumbered') {
    const { vanished, alike } = refusal
    throw invalid(
      `${vanished} animals of the list are not in it any more, and ${alike} of them look like new rows: the other system seems to have given new numbers. Nothing was changed.`,
    )
  }
}
