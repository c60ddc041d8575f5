/**
 * When an animal left, by a list, and when it returned: it was sold or had left, and is available or pending again.
 * Neither restoring nor undoing is a return, nor a sync that lists an animal again after it was missing.
 */
interface PastEntry {
  readonly atMs: number
  readonly to: string | undefined
  readonly importN: bigint | undefined
  /** Statuses, 'none', or 'left'. The first is undefined for an added animal. */
  readonly statusWas: string | undefined
  readonly statusNow: string | undefined
}

/** The last return, and when it left if it is away. `entries` of one animal, oldest first, without undos and undone ones. */
export function lastMoves(entries: readonly PastEntry[]) {
  let returnedMs: number | undefined
  let leftMs: number | undefined
  let isAway = false
  let isMissing = false
  for (const { atMs, to, importN, statusWas, statusNow } of entries) {
    if (statusWas === statusNow) continue
    leftMs = statusNow === 'left' ? atMs : undefined
    const isSync = importN !== undefined
    isAway ||= statusWas === 'sold'
    // Removing a status says nothing about where the animal is.
    if (statusNow === 'none' && !isSync) continue
    const isBack = statusNow === 'available' || statusNow === 'pending'
    if (isAway && isBack && !(isMissing && isSync)) returnedMs = atMs
    isAway = !isBack && statusWas !== undefined
    isMissing = to !== undefined && (JSON.parse(to) as { missing?: boolean }).missing === true
  }
  return { returnedMs, leftMs }
}
