/** Adds many animals at one instant or not at all, and holds up other writers for a moment at a time (import-operations.ts). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewPet } from '../../contract/schemas.ts'
import { StoreUnavailable } from '../store.ts'
import { claim } from './claim.ts'
import { flatten } from './operations.ts'
import type { Writer } from './writer.ts'

/** Rows copied in one transaction: it holds the right to write for about 15 ms. */
const ROWS_PER_STEP = 10_000
/** Long enough for a service that waits for the right to write to take it; it asks each millisecond. */
const PAUSE_MS = 4

/** Resolves to how many animals were added. Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
export async function importPets(
  path: string,
  writer: Writer,
  batches: AsyncIterable<readonly NewPet[]>,
): Promise<number> {
  const taken = `Another import into ${path} is running; wait for its end and try again.`
  const release = claim(path, 'importing', taken)
  try {
    await writer.run('beginStaging')
    let rows = 0
    const counts = new Map<string, number>()
    for await (const pets of batches) {
      await writer.run('stage', flatten(pets))
      rows += pets.length
      for (const { status = 'none' } of pets) counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    await removeUnfinished(writer)
    if (rows > 0) await addStaged(writer, rows, counts)
    return rows
  } finally {
    await Promise.resolve(writer.run('endStaging')).catch(ignore)
    release()
  }
}

async function addStaged(writer: Writer, rows: number, counts: ReadonlyMap<string, number>): Promise<void> {
  const firstId = await writer.run('reserveIds', rows)
  try {
    for (let from = 1; from <= rows; from += ROWS_PER_STEP) {
      await writer.run('copyStaged', firstId, from, Math.min(rows, from + ROWS_PER_STEP - 1))
      await sleep(PAUSE_MS)
    }
    await writer.run('publishImport', firstId, counts)
  } catch (error) {
    await removeUnfinished(writer).catch(ignore) // the next import does, if this one cannot
    throw error
  }
}

async function removeUnfinished(writer: Writer): Promise<void> {
  for (const unfinished of await writer.run('unfinishedImports')) {
    while (await writer.run('removeUnfinished', unfinished, ROWS_PER_STEP)) await sleep(PAUSE_MS)
  }
}

function ignore(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
