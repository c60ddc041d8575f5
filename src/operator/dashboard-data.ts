/** What the dashboard's page is sent: shapes alone, so that the page's own code can read them too. */
import type { KeyState, PetCounts } from '../store/store.ts'

/** What the time since the sample before was like. Rates are per second; undefined is what was not there to measure. */
export interface Sample {
  readonly atMs: number
  /** Answers by operation and status, as in `listPets 200`. */
  readonly requests: Readonly<Record<string, number>>
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  /** Refusals by plan; `anonymous` are those without a valid key. */
  readonly refused: Readonly<Record<string, number>>
  readonly animals: PetCounts | undefined
  readonly commits: number
  readonly rowsPerCommit: number | undefined
  /** How late the event loop ran at the 99th percentile. */
  readonly loopDelayMs: number
  readonly rssBytes: number
  readonly heapBytes: number
}

export interface WindowUse {
  readonly limit: number
  readonly used: number
}

export interface KeyUse {
  readonly id: string
  readonly label: string
  readonly plan: string
  readonly state: KeyState
  readonly lastUsedAtMs: number | undefined
  /** Requests with this key that this process has refused. */
  readonly refused: number
  readonly minute: WindowUse
  readonly day: WindowUse
}

/** The keys used last, and how many there are in all. */
export interface KeyUses {
  readonly total: number
  readonly keys: readonly KeyUse[]
}
