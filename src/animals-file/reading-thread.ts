/** The thread that reads a list: answers a look at the file, and then each message with some rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError } from '../common/errors.ts'
import type { FileRow } from '../store/staging.ts'
import { ListReader, type Look } from './reader.ts'
import type { ReadRequest } from './request.ts'
import type { RowFacts } from './rows.ts'

/** `kind` is the class of an error for a person. */
export interface ThreadAnswer {
  readonly look?: Look
  readonly rows?: readonly FileRow[]
  readonly facts?: RowFacts
  readonly kind?: string
  readonly message?: string
}

const reader = new ListReader(workerData as ReadRequest)
let rows: ReturnType<ListReader['rows']> | undefined

async function answer(ask: 'look' | 'begin' | 'next'): Promise<ThreadAnswer> {
  if (ask === 'look') return { look: await reader.look() }
  if (ask === 'begin' || rows === undefined) rows = reader.rows()
  return (await rows.next()).value ?? {}
}

parentPort?.on('message', async (ask: 'look' | 'begin' | 'next') => {
  const answered = await answer(ask).catch((error: unknown) => {
    if (error instanceof ExplainedError) return { kind: error.name, message: error.message }
    throw error
  })
  parentPort?.postMessage(answered)
})
