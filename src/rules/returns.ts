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
  let isAway = false
  let isMissing = false
  for (const { n, atMs, from, to, undoes } of entries) {
    const { status } = readMembers(to)
    if (status === undefined || undoes !== undefined || undone.has(n)) continue
    const isSync = importOf(to) !== undefined
    isAway ||= readMembers(from).status === 'sold'
    // A person who takes a status away says nothing of where the animal is.
    if (status === null && !isSync) continue
    const isBack = status === 'available' || status === 'pending'
    if (isAway && isBack && !(isMissing && isSync)) returnedMs = atMs
    isAway = !isBack && from !== undefined
    isMissing = isMissingMark(to)
  }
  return returnedMs
}
