/**
 * Long work is done in steps: transactions of about 15 ms with pauses, so that other writers wait only for moments. One
 * such work is left by undos of imports: animals hidden and not yet moved to the removed ones.
 */
import { type Clock, sleep } from '../../../common/clock.ts'
import { StoreUnavailable } from '../../store.ts'
import { type Claim, claim } from '../file/claim.ts'
import type { Writer } from '../writing/writer.ts'

/** Deleting an animal takes longer than copying one; a step holds the write lock for about 15 ms. */
const ROWS_PER_STEP = 2_000
/** Long enough for a service that waits for the write lock to take it; it tries every millisecond. */
const PAUSE_MS = 4

/** Imports and syncs of a file run one at a time. Throws StoreUnusable. */
export function claimImporting(path: string): Claim {
  return claim(path, 'importing', `Another import or sync into ${path} is running; wait for its end and try again.`)
}

export function pause(clock: Clock, ms = PAUSE_MS): Promise<void> {
  return sleep(clock, ms)
}

/** Throws StoreUnavailable; the next caller continues. */
export async function finishUndos(writer: Writer, clock: Clock): Promise<void> {
  while (await writer.run('undoSome', ROWS_PER_STEP)) await pause(clock)
}

/** For work that a later caller can do as well. */
export function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
