/** A workbook as a table: its thread is asked for one batch of lines after the other. */
import { once } from 'node:events'
import { startThread } from '../common/program.ts'
import { layoutOf } from './layout.ts'
import { type ReadOptions, type Source, UnreadableFile } from './row.ts'
import type { SheetRead } from './workbook-thread.ts'

const HEAP_MB = 768

/** Undefined if it is empty. Throws UnreadableFile. */
export async function openWorkbook(file: Buffer, options: ReadOptions): Promise<Source | undefined> {
  const batches = workbookBatches(file, options)
  const { value: first } = await batches.next()
  const layout = first && layoutOf(first.lines, options)?.layout
  const items = async function* () {
    if (first) yield first.lines
    for await (const { lines } of batches) yield lines
  }
  return layout && { format: first.format, layout, items: items(), close: () => batches.return(undefined) }
}

/** Throws UnreadableFile. */
async function* workbookBatches(
  file: Buffer,
  { mapping, reference }: ReadOptions,
): AsyncGenerator<SheetRead, undefined> {
  const thread = startThread('src/animals-file/workbook-thread.ts', {
    workerData: { file, hints: { mapping, reference } },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  try {
    for (;;) {
      thread.postMessage('next')
      const [batch]: readonly SheetRead[] = await once(thread, 'message')
      if (batch === undefined || batch.lines.length === 0) return
      yield batch
    }
  } catch {
    const what = 'The workbook cannot be read: it is damaged, has a password, or holds too many cells'
    throw new UnreadableFile(`${what}; export its list as CSV, and import that file.`)
  } finally {
    await thread.terminate()
  }
}
