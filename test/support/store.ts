/** What tests of the store begin with: authors, keys, imports, filters and rows. */
import assert from 'node:assert/strict'
import { FILTER_NAMES, type FilterValues, type PetFilter } from '../../src/contract/pet-filter.ts'
import type { Plan } from '../../src/contract/plans.ts'
import { PetStatus } from '../../src/contract/schemas.ts'
import { PURGE_MS, RESTORABLE_MS } from '../../src/rules/bounds.ts'
import type { Author } from '../../src/store/author.ts'
import type { ImportOptions } from '../../src/store/imports.ts'
import { type LedgerOperation, type LedgerRow, OUTCOMES, type Sums } from '../../src/store/ledger.ts'
import type { AnimalRecords, JournalQuery } from '../../src/store/records.ts'
import type { Key } from '../../src/store/rows.ts'
import type { PetPage } from '../../src/store/store.ts'
import type { SyncOptions } from '../../src/store/sync.ts'

export function authorAt(atMs: number): Author {
  return { who: 'a test', atMs }
}

export const PLAIN_IMPORT = {
  by: { who: 'test', atMs: Date.UTC(2026, 10, 21, 12) },
  source: 'test.csv',
  withIds: false,
  allowDuplicates: true,
  dryRun: false,
} satisfies ImportOptions

/** Purges what was removed before this time, after an earlier look; resolves to the number. */
export async function purgeBefore(records: AnimalRecords, beforeMs: number): Promise<number> {
  const lookedMs = beforeMs + RESTORABLE_MS
  assert.equal(await records.purge(authorAt(lookedMs)), 0)
  return records.purge(authorAt(lookedMs + PURGE_MS))
}

/** However many animals it changes. */
export const PLAIN_SYNC: SyncOptions = {
  by: authorAt(1),
  source: 'list.csv',
  missing: 'keep',
  dryRun: false,
  list: 'list',
  agrees: true,
  adopts: undefined,
}

export async function* batchesOf<T>(...batches: readonly (readonly T[])[]): AsyncIterable<readonly T[]> {
  yield* batches
}

export const FILTER_VALUES: { readonly [Name in keyof FilterValues]: readonly FilterValues[Name][] } = {
  status: PetStatus.enum,
}

/** None, and each value of each filter, alone and with those of others. */
export const FILTERS_TOGETHER = FILTER_NAMES.reduce<readonly PetFilter[]>(
  (all, name) =>
    all.flatMap((filter) => [filter, ...FILTER_VALUES[name].map((value) => ({ ...filter, [name]: value }))]),
  [{}],
)

export const WHOLE_JOURNAL: JournalQuery = { limit: 1_000 }

/** By default on the Free plan. */
export function keyOf(its: Partial<Key> & Pick<Key, 'id'>): Key {
  const plan: Plan = 'free'
  const times = { createdAtMs: 1, expiresAtMs: undefined, revokedAtMs: undefined, lastUsedAtMs: undefined }
  const bans = { ban: undefined, liftedUntilMs: undefined }
  return { lineage: its.id, plan, perMinute: 60, perDay: 1_000, label: '', ...times, ...bans, ...its }
}

export const NO_USE = {
  admitted: 0,
  refusedByMinute: 0,
  refusedByDay: 0,
  refusedByBan: 0,
  answered4xx: 0,
  answered5xx: 0,
}

/** The store gives a page whole or in pieces. */
export function textOf({ json }: PetPage): string {
  return typeof json === 'string' ? json : Buffer.concat(json).toString()
}

/** As rows of the ledger. */
export function usedOn(day: number, lineage: string, operation: LedgerOperation, sums: Partial<Sums>): LedgerRow[] {
  return OUTCOMES.map((outcome) => ({ day, lineage, operation, outcome, n: sums[outcome] ?? 0 })).filter(
    ({ n }) => n > 0,
  )
}
