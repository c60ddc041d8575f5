/** What the dashboard shows of the process. Types only, so that the code of the page can import them too. */

/** Counted in the last seconds. What could not be measured is undefined. */
export interface Sample {
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  /** Commits of new animals per second. */
  readonly commits: number
  /** The delay of the event loop at the 99th percentile. */
  readonly loopDelayMs: number
  readonly rssBytes: number
}

export interface WindowUse {
  readonly limit: number
  readonly used: number
}
