/**
 * Stands in for `startThread` of common/program.ts (resident.ts): the writer of SQLite in this thread, but in one of
 * its own for tests that look at threads.
 */
import type { WorkerOptions } from 'node:worker_threads'
import { startThread as startReal } from '../../src/common/program.ts'
import type { WriterData } from '../../src/store/sqlite/writing/writer-messages.ts'
import { writeHere } from '../histories/in-this-thread.ts'

export function startThread(path: Parameters<typeof startReal>[0], options: WorkerOptions) {
  if (process.listenerCount('worker') > 0) return startReal(path, options)
  return writeHere(options.workerData as WriterData)
}
