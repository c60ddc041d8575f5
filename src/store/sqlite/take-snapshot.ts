/** Asks a process of its own for a snapshot (snapshot-process.ts), and tells how far it is. */
import { rmSync, statSync } from 'node:fs'
import { type Apart, startApart } from '../../common/program.ts'
import { StoreUnusable } from '../store.ts'
import type { Contents } from './inspect.ts'

export type SnapshotMessage =
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'done'; readonly contents: Contents }
  /** `isOurs`: the message is a sentence for people. */
  | { readonly kind: 'failed'; readonly message: string; readonly isOurs: boolean }

export interface SnapshotOptions {
  /** Told how many bytes of how many are written. */
  readonly onProgress?: ((bytes: number, of: number) => void) | undefined
  /** Ends the work; nothing is left of it. */
  readonly signal?: AbortSignal | undefined
}

const LOOK_EVERY_MS = 100

/** Throws StoreUnusable; there is no `target` then. */
export async function takeSnapshot(source: string, target: string, options: SnapshotOptions = {}): Promise<Contents> {
  const { onProgress = () => {}, signal } = options
  const child = startApart('src/store/sqlite/snapshot-process', [source, target])
  let expected = 0
  const looking = setInterval(() => {
    const size = statSync(target, { throwIfNoEntry: false })?.size
    if (expected > 0 && size !== undefined) onProgress(size, expected)
  }, LOOK_EVERY_MS)
  const kill = () => child.kill()
  signal?.addEventListener('abort', kill)
  try {
    const message = await answer(child, (bytes) => {
      expected = bytes
    })
    if (message?.kind === 'done') return message.contents
    rmSync(target, { force: true })
    if (message?.kind === 'failed' && !message.isOurs) throw new Error(message.message)
    throw new StoreUnusable(message?.message ?? `The copying of ${source} was cut off; nothing is left of it.`)
  } finally {
    clearInterval(looking)
    signal?.removeEventListener('abort', kill)
  }
}

/** The last thing that it says; undefined when it ends before. */
async function answer(child: Apart, onSize: (bytes: number) => void) {
  let last: Exclude<SnapshotMessage, { kind: 'size' }> | undefined
  child.onMessage((sent) => {
    const message = sent as SnapshotMessage
    if (message.kind === 'size') onSize(message.bytes)
    else last = message
  })
  await child.ended
  return last
}
