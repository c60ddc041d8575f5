/** Threads for `scan` and `snapshot` of ../../sql.ts, so that short reads do not wait. */
import type { Sql } from '../../sql.ts'
import { FileDatabase, type FileDatabaseOptions } from '../file/file-database.ts'
import { FileThread, type FileThreadOptions } from '../file/file-thread.ts'

const THREADS = 2
const CACHE_KIB = 32_768

export interface ScannerSide {
  readonly scans: { readonly read: Sql }
}

export class Scanners {
  readonly #free: FileThread<ScannerSide>[]
  readonly #all: readonly FileThread<ScannerSide>[]
  readonly #waiting: ((thread: FileThread<ScannerSide>) => void)[] = []

  constructor(file: Pick<FileThreadOptions, 'path' | 'fileId' | 'stop'>) {
    // The end of a thread fails its read.
    const options = { name: 'scanner', ...file, onAnswer: () => {}, report: () => {} } as const
    this.#all = Array.from({ length: THREADS }, () => new FileThread<ScannerSide>(options))
    this.#free = [...this.#all].reverse()
  }

  readonly scan: Sql = (text, values) => this.#onThread((run) => run(text, values))

  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#onThread(async (run) => {
      await run('BEGIN')
      const result = await work(run).catch(async (error: unknown) => {
        await run('ROLLBACK').catch(() => {})
        throw error
      })
      await run('COMMIT') // fails where a thread has taken the place of the one that began
      return result
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close()))
  }

  async #onThread<T>(work: (run: Sql) => Promise<T>): Promise<T> {
    const thread = this.#free.pop() ?? (await new Promise<FileThread<ScannerSide>>((take) => this.#waiting.push(take)))
    try {
      return await work((...args) => thread.ask('scans', 'read', args, (rows) => rows))
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(thread)
      else next(thread)
    }
  }
}

export function openScanner(options: FileDatabaseOptions) {
  const database = new FileDatabase({ ...options, cacheKib: CACHE_KIB })
  return { side: { scans: { read: database.read } }, close: () => database.close() }
}
