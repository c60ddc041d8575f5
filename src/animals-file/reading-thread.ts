/** The thread that reads a list: it answers a look at the file, and then with some rows for each message. */
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError } from '../common/errors.ts'
import type { FileRow } from '../store/staging.ts'
import { ListReader, type Look } from './reader.ts'
import type { ReadRequest } from './request.ts'
import type { RowFacts } from './rows.ts'

/** `kind` is the class of an error that is told to a person. */
export type ThreadAnswer =
  | { readonly look: Look }
  | { readonly rows: readonly FileRow[]; readonly facts?: RowFacts }
  | { readonly kind: string; readonly message: string }

const reader = new ListReader(workerData as ReadRequest)
let rows: ReturnType<ListReader['rows']> | undefined

parentPort?.on('message', async (ask: 'look' | 'begin' | 'next') => {
  try {
    if (ask === 'look') return answer({ look: await reader.look() })
    if (ask === 'begin' || rows === undefined) rows = reader.rows()
    answer((await rows.next()).value ?? { rows: [] })
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error
    answer({ kind: error.name, message: error.message })
  }
})

function answer(value: ThreadAnswer): void {
  parentPort?.postMessage(value)
}
