/**
 * A sync of a SQLite file: the list is staged and compared while others write, and what changes is one transaction. If
 * somebody has changed one of its animals in between, it is compared again.
 */
import { outcomeOf, repeatedOutcome, toLines, toRow } from '../../rules/sync.ts'
import type { ListedPet, SyncOptions, SyncOutcome } from '../../sync.ts'
import { assertRoom } from '../file/room.ts'
import type { Writer } from '../writing/writer.ts'
import { claimImporting, ignoreUnavailable } from './steps.ts'

/** Bytes in the file for an animal that changes, besides its name: its row, its entry, its reference, their indexes. */
const BYTES_PER_CHANGE = 400
/** Free room is checked each time this many more bytes are staged. */
const LOOK_EVERY_BYTES = 4 << 20

/** Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
export async function runSync(
  path: string,
  writer: Writer,
  batches: AsyncIterable<readonly ListedPet[]>,
  options: SyncOptions,
): Promise<SyncOutcome> {
  const { release } = claimImporting(path)
  try {
    await writer.run('beginSync')
    const { rows, bytes } = await stage(path, writer, batches)
    const { differing, repeats } = await writer.run('leaveOutRepeats')
    if (differing.length > 0) return repeatedOutcome(rows, toLines(differing))
    const { missing, adopts, dryRun } = options
    for (;;) {
      const plan = await writer.run('planSync', { missing, adopts })
      const outcome = outcomeOf(rows, repeats, plan, options)
      const animals = Object.values(plan.counts).reduce((sum, n) => sum + n, 0)
      if (dryRun || animals === 0 || outcome.refusal !== undefined) return outcome
      // A transaction is in the log as a whole before it is copied into the file.
      await assertRoom(path, 2 * (animals * BYTES_PER_CHANGE + bytes * Math.min(1, animals / Math.max(1, rows))))
      const n = await writer.run('applySync', options)
      if (n !== undefined) return { ...outcome, n }
    }
  } finally {
    await Promise.resolve(writer.run('endSync')).catch(ignoreUnavailable)
    release()
  }
}

/** The number of rows, and about how many bytes their names take. */
async function stage(
  path: string,
  writer: Writer,
  batches: AsyncIterable<readonly ListedPet[]>,
): Promise<{ rows: number; bytes: number }> {
  let rows = 0
  let bytes = 0
  let lookedAt = 0
  for await (const pets of batches) {
    for (const { name } of pets) bytes += Buffer.byteLength(name)
    rows += pets.length
    if (bytes - lookedAt >= LOOK_EVERY_BYTES) {
      await assertRoom(path, 0)
      lookedAt = bytes
    }
    await writer.run('stageRows', pets.flatMap(toRow))
  }
  return { rows, bytes }
}
