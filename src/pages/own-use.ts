/**
 * What a key's requests came to in the last 30 days, for the front desk: JSON at `use.json`, beside the interface and
 * not a part of it. A request for it is one of the key's own, and counts for its limits as any other.
 */
import { type Clock, DAY_MS, HOUR_MS } from '../common/clock.ts'
import { type Eventual, whenReady } from '../common/eventual.ts'
import type { Answer } from '../http/answer.ts'
import type { LedgerStore, LedgerSum, Sums } from '../store/ledger.ts'
import type { OwnUse } from './own-use-data.ts'

const DAYS = 30
/** The ledger learns of a request some seconds later anyway, and an answer takes longer to find than to send. */
const KEPT_MS = 5_000
const MOST_KEPT = 1_000
const UNCACHED = ['Cache-Control', 'no-store']

/** Answers for a lineage of keys. Throws StoreUnavailable. */
export function makeOwnUse(ledger: Pick<LedgerStore, 'sums'>, clock: Clock): (lineage: string) => Eventual<Answer> {
  const kept = new Map<string, { readonly atMs: number; readonly answer: Eventual<Answer> }>()
  return (lineage) => {
    const atMs = clock.monotonic()
    const last = kept.get(lineage)
    if (last !== undefined && atMs - last.atMs < KEPT_MS) return last.answer
    const todayMs = Math.floor(clock.now() / DAY_MS) * DAY_MS
    const fromMs = todayMs - (DAYS - 1) * DAY_MS
    const asked = { lineage, fromHour: fromMs / HOUR_MS, toHour: (todayMs + DAY_MS) / HOUR_MS, by: 'day' } as const
    const answer = whenReady(ledger.sums(asked), (sums) => {
      const body = JSON.stringify({ days: daysOf(sums, fromMs) } satisfies OwnUse)
      return { status: 200, body, contentType: 'application/json', headers: UNCACHED }
    })
    if (kept.size >= MOST_KEPT) kept.clear()
    // Also while it is being found: whoever asks a thousand times at once is looked up once.
    kept.set(lineage, { atMs, answer })
    if (answer instanceof Promise) answer.catch(() => kept.delete(lineage))
    return answer
  }
}

function daysOf(all: readonly LedgerSum[], fromMs: number): OwnUse['days'] {
  return Array.from({ length: DAYS }, (_, n) => {
    const dayMs = fromMs + n * DAY_MS
    const sums = all.filter(({ hour }) => hour * HOUR_MS === dayMs).map((one) => one.sums)
    return {
      day: new Date(dayMs).toISOString().slice(0, 10),
      admitted: total(sums, ({ admitted }) => admitted),
      refused: total(sums, (one) => one.refusedByMinute + one.refusedByDay + one.refusedByBan),
    }
  })
}

function total(all: readonly Sums[], of: (sums: Sums) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0)
}
