/**
 * Long work goes in steps, each a transaction of some 15 ms with a pause after it, so that whoever else writes waits
 * only for moments. One such work is what undos of imports have left: animals that are hidden and not yet among the
 * removed ones.
 */
import { type Clock, sleep } from '../../../common/clock.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Writer } from '../writing/writer.ts'

/** Deleting an animal takes longer than copying one; a step holds the write lock for about 15 ms. */
const ROWS_PER_STEP = 2_000
/** Long enough for a service that waits for the write lock to take it; it tries every millisecond. */
const PAUSE_MS = 4

export function pause(clock: Clock, ms = PAUSE_MS): Promise<void> {
  return sleep(clock, ms)
}

/** Throws StoreUnavailable; whoever calls it next goes on. */
export async function finishUndos(writer: Writer, clock: Clock): Promise<void> {
  while (await writer.run('undoSome', ROWS_PER_STEP)) await pause(clock)
}

/** For what whoever comes next does, if it cannot be done now. */
export function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
