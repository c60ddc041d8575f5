/**
 * When an animal came back, by its journal: it was sold, or a list said that it had left, and it is available or pending
 * again, whoever says so. Restoring it is no return, nor is an undo, nor a sync that lists again what a sync had marked
 * sold only because it was missing.
 */
import { importOf, isMissingMark } from './journal.ts'
import { readMembers } from './members.ts'

interface PastEntry {
  readonly n: bigint
  readonly atMs: number
  readonly from: string | undefined
  readonly to: string | undefined
  readonly undoes: bigint | undefined
}

/** The time of the last return; undefined if there was none. `entries` are all of one animal, oldest first. */
export function lastReturn(entries: readonly PastEntry[]): number | undefined {
  const undone = new Set<bigint>()
  for (const { n, undoes } of entries.toReversed()) if (undoes !== undefined && !undone.has(n)) undone.add(undoes)
  let returnedMs: number | undefined
  let hasLeft = false
  let isMissing = false
  for (const { n, atMs, from, to, undoes } of entries) {
    const { status } = readMembers(to)
    if (status === undefined || undoes !== undefined || undone.has(n)) continue
    const isSync = importOf(to) !== undefined
    const isAway = hasLeft || readMembers(from).status === 'sold'
    if (isAway && status !== 'sold' && status !== null && !(isMissing && isSync)) returnedMs = atMs
    isMissing = isMissingMark(to)
    hasLeft = status === 'sold' || (status === null && isSync && from !== undefined)
  }
  return returnedMs
}
