/** What an uploaded list of another system changes, as with `pets sync`. */

import type { PetStatus } from '../../contract/schemas.ts'
import { guardText } from '../../domain/file-outcome.ts'
import { shelterZone } from '../../domain/zone.ts'
import { brief } from '../../rules/bounds.ts'
import type { PublicMembers } from '../../rules/members.ts'
import type { Missing, SyncChange } from '../../rules/sync.ts'
import type { SyncOutcome } from '../../store/sync.ts'
import { waitOf } from '../../store/waits.ts'
import type { FileChange, SyncPreview } from '../office-data.ts'
import { invalid } from './refusals.ts'
import type { OfficeOptions } from './routes.ts'

export async function toSyncPreview(
  outcome: SyncOutcome,
  missing: Missing,
  { store }: OfficeOptions,
): Promise<SyncPreview> {
  const { counts, alike, adoptable, unlisted, guard } = outcome
  const rows = [...outcome.alikeRows, ...outcome.unclearRows]
  const provenances = await store.origins.provenance(rows.map(({ id }) => id))
  const zone = await shelterZone(store)
  const namesakes = rows.map(({ id, status = null, name, reference }, at) => {
    const sinceMs = waitOf(provenances[at], zone)?.sinceMs ?? null
    return { reference: brief(reference), name: brief(name), id: id.toString(), status, sinceMs }
  })
  return {
    counts,
    unclear: alike - adoptable,
    unclearRows: [...Map.groupBy(namesakes.slice(outcome.alikeRows.length), ({ reference }) => reference)].map(
      ([reference, animals]) => ({ reference, name: animals[0]?.name ?? '', animals }),
    ),
    alike: { rows: adoptable, first: namesakes.slice(0, outcome.alikeRows.length) },
    unlisted,
    unlistedRows: outcome.unlistedRows.map(({ id, name, status = null, reference }) => ({
      ...{ id: id.toString(), name: brief(name), status, reference: brief(reference) },
    })),
    missing,
    guard: guard === undefined ? null : guardText(guard),
  }
}

export function toFileChange({ kind, id, reference, before, now }: SyncChange): FileChange {
  return {
    ...{ kind, id: id?.toString() ?? null, reference: brief(reference) },
    ...{ before: before === undefined ? null : toValues(before), now: toValues(now) },
  }
}

function toValues(animal: Omit<PublicMembers, 'status'> & { readonly status: PetStatus | null | undefined }) {
  const { name, categoryId, status = null } = animal
  return { name: brief(name), categoryId: categoryId.toString(), status }
}

/** Throws OfficeRefusal with what is still to be answered if nothing was done. */
export function assertSynced({ isRefused, guard, alike }: SyncOutcome, agrees: boolean): void {
  if (!isRefused) return
  const many = guard === undefined || agrees ? [] : [`${guardText(guard)} Agree to it first.`]
  const names = alike === 0 ? [] : [`Say whether the ${alike} new rows that look like animals here are these animals.`]
  throw invalid([...many, ...names, 'Nothing was changed.'].join(' '))
}
