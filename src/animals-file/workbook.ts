/** A workbook as a table: its thread is asked for one batch of lines after the other. */
import { once } from 'node:events'
import { startThread } from '../common/program.ts'
import { layoutOf } from './layout.ts'
import { type Line, type ReadOptions, type Source, UnreadableFile, withFirst } from './row.ts'

const HEAP_MB = 768

/** Undefined if it is empty. Throws UnreadableFile. */
export async function openWorkbook(file: Buffer, options: ReadOptions): Promise<Source | undefined> {
  const batches = workbookLines(file, options)
  const first = (await batches.next()).value ?? []
  const layout = layoutOf(first, options)?.layout
  const items = withFirst<readonly Line[]>(first, batches)
  return layout && { format: 'workbook', layout, items, close: () => batches.return() }
}

/** Throws UnreadableFile. */
async function* workbookLines(
  file: Buffer,
  { mapping, reference }: ReadOptions,
): AsyncGenerator<readonly Line[], void> {
  const thread = startThread('src/animals-file/workbook-thread', {
    workerData: { file, wanted: { mapping, reference } },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  try {
    for (;;) {
      thread.postMessage('next')
      const [lines = []]: readonly (readonly Line[])[] = await once(thread, 'message')
      if (lines.length === 0) return
      yield lines
    }
  } catch {
    const what = 'The workbook cannot be read: it is damaged, has a password, or holds too many cells'
    throw new UnreadableFile(`${what}; export its list as CSV, and import that file.`)
  } finally {
    await thread.terminate()
  }
}
