/**
 * Updates existing animals from an uploaded list of another system, as `pets sync` does: a column of references says
 * which animal a row is. An animal without a reference that only one row matches gets that row's reference if a person
 * says that they are the same.
 */

import type { AnimalsFile } from '../../animals-file/read.ts'
import type { PetStatus } from '../../contract/schemas.ts'
import { syncRefusal } from '../../domain/file-outcome.ts'
import { shelterZone } from '../../domain/zone.ts'
import type { PublicMembers } from '../../rules/members.ts'
import { consentTo, MAX_CHANGED_SHARE, type Missing } from '../../rules/sync.ts'
import type { LateAuthor } from '../../store/author.ts'
import { arrivalOf } from '../../store/origins.ts'
import type { SyncOutcome } from '../../store/sync.ts'
import type { ImportRequest, SyncPreview } from '../office-data.ts'
import { brief } from './animals.ts'
import { invalid, type OfficeOptions, whileAllowed } from './routes.ts'

interface SyncFileOptions {
  readonly by: LateAuthor
  readonly source: string
  readonly missing: Missing
  /** What the person has chosen; nothing yet in a dry run. */
  readonly choices: Pick<ImportRequest, 'agrees' | 'renames' | 'adopts'>
  readonly dryRun: boolean
  /** Throws OfficeRefusal. */
  readonly mayGoOn: () => Promise<void>
}

/** Throws UnreadableFile, BadRows, OfficeRefusal, StoreUnusable or StoreUnavailable. */
export function syncFile(
  reading: AnimalsFile,
  { by, source, missing, choices, dryRun, mayGoOn }: SyncFileOptions,
  { sync }: OfficeOptions['store'],
): Promise<SyncOutcome> {
  const { agrees = false, renames = false, adopts } = choices
  const options = { by, source, missing, adopts, ...consentTo(agrees), renames, dryRun }
  return sync.run(whileAllowed(reading.batches(), mayGoOn), options).then((outcome) => reading.accept(outcome))
}

export async function toSyncPreview(outcome: SyncOutcome, { store }: OfficeOptions): Promise<SyncPreview> {
  const { counts, changes, alike, adoptable, unlisted, refusal } = outcome
  const rows = [...outcome.alikeRows, ...outcome.unclearRows]
  const provenances = await store.origins.provenance(rows.map(({ id }) => id))
  const zone = await shelterZone(store)
  const namesakes = rows.map(({ id, status = null, name, reference }, at) => {
    const sinceMs = arrivalOf(provenances[at], zone) ?? null
    return { reference: brief(reference), name: brief(name), id: id.toString(), status, sinceMs }
  })
  const { reference = '', before, now } = refusal?.why === 'reassigned' ? refusal.first : {}
  return {
    counts,
    changes: changes.map(({ kind, id, reference, before, now }) => ({
      kind,
      id: id?.toString() ?? null,
      reference: brief(reference),
      before: before === undefined ? null : toValues(before),
      now: toValues(now),
    })),
    unclear: alike - adoptable,
    unclearRows: [...Map.groupBy(namesakes.slice(outcome.alikeRows.length), ({ reference }) => reference)].map(
      ([reference, animals]) => ({ reference, name: animals[0]?.name ?? '', animals }),
    ),
    alike: {
      rows: adoptable,
      first: namesakes.slice(0, outcome.alikeRows.length),
    },
    unlisted,
    reassigned:
      refusal?.why === 'reassigned'
        ? {
            animals: refusal.animals,
            reference: brief(reference),
            was: brief(before?.name ?? ''),
            now: brief(now?.name ?? ''),
          }
        : null,
    tooMany: toTooMany(refusal),
  }
}

function toTooMany(refusal: SyncOutcome['refusal']): SyncPreview['tooMany'] {
  if (refusal?.why === 'renumbered') return { changed: refusal.alike, of: refusal.vanished }
  return refusal?.why === 'too many' ? { changed: refusal.touched, of: refusal.referenced } : null
}

/** Warnings to read before agreeing. */
export function warningsOf(outcome: SyncOutcome): readonly string[] {
  return outcome.refusal?.why === 'renumbered' ? [`${brief(syncRefusal(outcome, MAX_CHANGED_SHARE) ?? '')}.`] : []
}

function toValues({ name, categoryId, status }: PublicMembers) {
  return { name: brief(name), categoryId: categoryId.toString(), status: status as PetStatus | null }
}

/** Throws OfficeRefusal if the animals do not agree with the list now. */
export function assertSynced(outcome: SyncOutcome): void {
  const refusal = syncRefusal(outcome, MAX_CHANGED_SHARE)
  if (refusal !== undefined) throw invalid(`${refusal}; nothing was changed.`)
}
