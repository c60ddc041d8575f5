/** Asks a process (process.ts) for a snapshot, and reports its progress. */
import { rmSync, statSync } from 'node:fs'
import { type BackgroundTask, startBackgroundTask } from '../../../../common/program.ts'
import type { BackupOptions, Contents } from '../../../maintenance.ts'
import { StoreUnusable } from '../../../store.ts'
import type { Extent } from '../../file/read-only.ts'

export type SnapshotMessage =
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'done'; readonly contents: Contents }
  /** `isExplained`: the message is that of an ExplainedError. */
  | { readonly kind: 'failed'; readonly message: string; readonly isExplained: boolean }

const LOOK_EVERY_MS = 100

/** Writes into `target`, an empty file. Throws StoreUnusable, and then deletes `target`. */
export async function requestSnapshot(
  source: string,
  target: string,
  { clock, onProgress = () => {}, signal }: BackupOptions,
  extent: Extent = 'with its log',
): Promise<Contents> {
  const child = startBackgroundTask('src/store/sqlite/maintenance/snapshot/process', [source, extent, target])
  let expected = 0
  const looking = clock.every(LOOK_EVERY_MS, () => {
    const size = statSync(target, { throwIfNoEntry: false })?.size
    if (expected > 0 && size !== undefined) onProgress(size, expected)
  })
  const kill = () => child.kill()
  if (signal?.aborted) kill()
  signal?.addEventListener('abort', kill)
  try {
    const message = await answer(child, (bytes) => {
      expected = bytes
    })
    if (message?.kind === 'done') return message.contents
    rmSync(target, { force: true })
    if (message?.kind === 'failed' && !message.isExplained) throw new Error(message.message)
    throw new StoreUnusable(message?.message ?? `The copying of ${source} was cut off; nothing is left of it.`)
  } finally {
    clock.cancel(looking)
    signal?.removeEventListener('abort', kill)
  }
}

/** Its last message; undefined if it ended without one. */
async function answer(child: BackgroundTask, onSize: (bytes: number) => void) {
  let last: Exclude<SnapshotMessage, { kind: 'size' }> | undefined
  child.onMessage((sent) => {
    const message = sent as SnapshotMessage
    if (message.kind === 'size') onSize(message.bytes)
    else last = message
  })
  await child.ended
  return last
}
