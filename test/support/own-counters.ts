/** The counters that a store has of its own, for a test that needs no fallback beside them. */
import type { Clock } from '../../src/common/clock.ts'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import type { Store } from '../../src/store/store.ts'

export function ownCounters(store: Store, clock: Clock) {
  const kept = store.counters()
  return 'load' in kept ? new MemoryCounters(clock, kept) : kept
}
