/** What the dashboard draws. Types only, so that the code of the page can import them too. */
import type { PetCounts } from '../store/store.ts'

/** Counted since the previous sample. Rates are per second; what could not be measured is undefined. */
export interface Sample {
  readonly atMs: number
  /** Responses by operation and status, as in `listPets 200`. */
  readonly requests: Readonly<Record<string, number>>
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  /** Refusals by plan; `anonymous` is requests without a valid key. */
  readonly refused: Readonly<Record<string, number>>
  readonly animals: PetCounts | undefined
  readonly commits: number
  readonly rowsPerCommit: number | undefined
  /** The delay of the event loop at the 99th percentile. */
  readonly loopDelayMs: number
  readonly rssBytes: number
  readonly heapBytes: number
}

export interface WindowUse {
  readonly limit: number
  readonly used: number
}
