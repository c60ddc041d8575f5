/** What the service counts about itself, on each response. */

/** Upper bounds of the duration histogram, in seconds. */
export const DURATION_BUCKETS_S = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

const noResponses = () => ({
  statuses: new Map<number, number>(),
  /** By duration; the last element is for those above every bound. */
  buckets: Array<number>(DURATION_BUCKETS_S.length + 1).fill(0),
  seconds: 0,
})
const noDecisions = () => ({ admitted: 0, refused: 0 })

export class Metrics {
  readonly operations = new Map<string, ReturnType<typeof noResponses>>()
  readonly plans = new Map<string, ReturnType<typeof noDecisions>>()

  countResponse(operation: string, status: number, seconds: number): void {
    const counts = this.operations.getOrInsertComputed(operation, noResponses)
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    counts.seconds += seconds
    let bucket = 0
    while (bucket < DURATION_BUCKETS_S.length && seconds > (DURATION_BUCKETS_S[bucket] ?? 0)) bucket += 1
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
  }

  responsesWith(status: number): number {
    let count = 0
    for (const { statuses } of this.operations.values()) count += statuses.get(status) ?? 0
    return count
  }

  /** `plan` is the plan of the key, or `anonymous` for an address. */
  countLimit(plan: string, admitted: boolean): void {
    const counts = this.plans.getOrInsertComputed(plan, noDecisions)
    if (admitted) counts.admitted += 1
    else counts.refused += 1
  }
}
