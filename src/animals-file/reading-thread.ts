/** The thread that reads a list: answers the first message with a look at the file, and later ones with rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError } from '../common/errors.ts'
import { ListReader, type Look, type SomeRows } from './reader.ts'

/** `kind` is the class of an error for a person. */
export interface ThreadAnswer extends Partial<SomeRows> {
  readonly look?: Look
  readonly kind?: string
  readonly message?: string
}

const reader = new ListReader(workerData)
let rows: AsyncGenerator<SomeRows> | undefined

async function answer(): Promise<ThreadAnswer> {
  if (rows !== undefined) return (await rows.next()).value
  rows = reader.rows()
  return { look: await reader.look() }
}

parentPort?.on('message', async () => {
  const answered = await answer().catch((error: unknown) => {
    if (error instanceof ExplainedError) return { kind: error.name, message: error.message }
    throw error
  })
  parentPort?.postMessage(answered)
})
