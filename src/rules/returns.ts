/**
 * When an animal came back, by its journal: it was sold, or a list said that it had left, and it is available or pending
 * again, whoever says so. Restoring it is no return, nor is an undo, nor a sync that lists again what a sync had marked
 * sold only because it was missing.
 */
interface PastEntry {
  readonly atMs: number
  readonly to: string | undefined
  readonly importN: bigint | undefined
  /** Statuses, or 'none'; the first is undefined for an animal that is added. */
  readonly statusWas: string | undefined
  readonly statusNow: string | undefined
}

/** The time of the last return; undefined if there was none. `entries` are all of one animal, oldest first, without undos and what is undone. */
export function lastReturn(entries: readonly PastEntry[]): number | undefined {
  let returnedMs: number | undefined
  let isAway = false
  let isMissing = false
  for (const { atMs, to, importN, statusWas, statusNow } of entries) {
    if (statusWas === statusNow) continue
    const isSync = importN !== undefined
    isAway ||= statusWas === 'sold'
    // A person who takes a status away says nothing of where the animal is.
    if (statusNow === 'none' && !isSync) continue
    const isBack = statusNow === 'available' || statusNow === 'pending'
    if (isAway && isBack && !(isMissing && isSync)) returnedMs = atMs
    isAway = !isBack && statusWas !== undefined
    isMissing = to !== undefined && (JSON.parse(to) as { missing?: boolean }).missing === true
  }
  return returnedMs
}
