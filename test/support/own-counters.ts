/** The counters of a store, without a fallback. */
import type { Clock } from '../../src/common/clock.ts'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import type { Store } from '../../src/store/store.ts'

export function ownCounters(store: Store, clock: Clock) {
  const kept = store.counters()
  return 'load' in kept ? new MemoryCounters(clock, kept) : kept
}
