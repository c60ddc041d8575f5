/** The thread that writes the public page once, with its own connection to the database. */
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError, isSystemError } from '../common/errors.ts'
import { systemClock } from '../common/system-clock.ts'
import { publish } from '../public-page/publisher.ts'
import { openStore } from '../store/open.ts'

export type PublishingMessage =
  | { readonly kind: 'published'; readonly animals: number; readonly files: readonly string[] }
  /** `isExplained`: not a bug, so no stack is logged. */
  | { readonly kind: 'failed'; readonly message: string; readonly isExplained: boolean }

const { database, folder } = workerData as { readonly database: string; readonly folder: string }

async function write(): Promise<PublishingMessage> {
  try {
    const store = await openStore(database, { serving: false, clock: systemClock, mustExist: true })
    try {
      const published = await publish(store, folder, systemClock.now())
      return { kind: 'published', ...published }
    } finally {
      await store.close()
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', message, isExplained: error instanceof ExplainedError || isSystemError(error) }
  }
}

parentPort?.postMessage(await write())
