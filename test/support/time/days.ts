/** The days that a purge has to see before it forgets an animal. */
import { DAY_MS } from '../../../src/common/clock.ts'
import { RESTORABLE_DAYS } from '../../../src/store/rules/bounds.ts'
import type { Store } from '../../../src/store/store.ts'
import { authorAt } from '../author.ts'

/** Purges once on each of so many days, by default as many as are needed, and keeps every animal. */
export async function seeDays(store: Store, days = RESTORABLE_DAYS, firstMs = 0): Promise<void> {
  for (let n = 0; n < days; n += 1) await store.records.purge(0, authorAt(firstMs + n * DAY_MS))
}
