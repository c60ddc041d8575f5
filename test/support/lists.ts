/** Lists as open files, read into a store. */
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ListJob, type ListResult, runList } from '../../src/animals-file/lists.ts'
import type { Store } from '../../src/store/store.ts'
import { memoryFolder } from './folder.ts'
import { patientClock } from './time/clock.ts'

const folder = memoryFolder()
let files = 0

export async function withFile<T>(bytes: string | Buffer, work: (file: FileHandle) => Promise<T>): Promise<T> {
  files += 1
  const path = join(folder, `list-${files}`)
  await writeFile(path, bytes)
  const file = await open(path)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

const JOB = {
  clock: patientClock,
  rowLimit: 65_536,
  by: { who: 'test', atMs: Date.UTC(2026, 10, 21, 12) },
  source: 'list.csv',
}

/** Nothing is confirmed unless `job` says so. */
export function readInto(store: Store, list: string | Buffer, job: Partial<ListJob> = {}): Promise<ListResult> {
  return withFile(list, ({ fd }) =>
    runList(store, { ...JOB, fd, confirms: false, agrees: false, dryRun: false, ...job }),
  )
}
