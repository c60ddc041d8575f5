/**
 * What an uploaded list of another system changes, as with `pets sync`: a column of references says which animal a row
 * is. An animal without a reference that only one row matches gets that row's reference if a person says that they are
 * the same.
 */

import type { PetStatus } from '../../contract/schemas.ts'
import { syncRefusal } from '../../domain/file-outcome.ts'
import { shelterZone } from '../../domain/zone.ts'
import type { PublicMembers } from '../../rules/members.ts'
import { MAX_CHANGED_SHARE } from '../../rules/sync.ts'
import type { SyncOutcome } from '../../store/sync.ts'
import { waitOf } from '../../store/waits.ts'
import type { SyncPreview } from '../office-data.ts'
import { brief } from './animals.ts'
import { invalid } from './refusals.ts'
import type { OfficeOptions } from './routes.ts'

export async function toSyncPreview(outcome: SyncOutcome, { store }: OfficeOptions): Promise<SyncPreview> {
  const { counts, changes, alike, adoptable, unlisted, refusal } = outcome
  const rows = [...outcome.alikeRows, ...outcome.unclearRows]
  const provenances = await store.origins.provenance(rows.map(({ id }) => id))
  const zone = await shelterZone(store)
  const namesakes = rows.map(({ id, status = null, name, reference }, at) => {
    const sinceMs = waitOf(provenances[at], zone)?.sinceMs ?? null
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
    alike: { rows: adoptable, first: namesakes.slice(0, outcome.alikeRows.length) },
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

export function toValues(animal: Omit<PublicMembers, 'status'> & { readonly status: PetStatus | null | undefined }) {
  const { name, categoryId, status = null } = animal
  return { name: brief(name), categoryId: categoryId.toString(), status }
}

/** Throws OfficeRefusal if the animals do not agree with the list now. */
export function assertSynced(outcome: SyncOutcome): void {
  const refusal = syncRefusal(outcome, MAX_CHANGED_SHARE)
  if (refusal !== undefined) throw invalid(`${refusal}; nothing was changed.`)
}
