/**
 * The process that makes a snapshot (write.ts), so that whoever asked for it goes on meanwhile and can end it at once:
 * SQLite does not let a thread be interrupted in the middle of it. Told what to do as it starts, it says how that went.
 */
import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError } from '../../../../common/errors.ts'
import type { SnapshotMessage } from './request.ts'
import { writeSnapshot } from './write.ts'

const [source = '', extent, target = '']: readonly string[] = parentPort === null ? process.argv.slice(2) : workerData
const tell = (message: SnapshotMessage) =>
  parentPort === null ? process.send?.(message, undefined, {}, giveUpOn) : parentPort.postMessage(message)

/** Who asked was killed, and nobody wants the file: nothing is left of it, and nobody is told. */
function giveUpOn(error: Error | null): void {
  if (error === null) return
  rmSync(target, { force: true })
  process.exit(1)
}

try {
  const onSize = (bytes: number) => tell({ kind: 'size', bytes })
  const contents = await writeSnapshot(source, extent === 'alone' ? extent : 'with its log', target, onSize)
  tell({ kind: 'done', contents })
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  tell({ kind: 'failed', message, isExplained: error instanceof ExplainedError })
}
if (parentPort === null) process.disconnect?.()
