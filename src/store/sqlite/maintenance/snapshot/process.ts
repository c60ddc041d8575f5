/**
 * The process that writes a snapshot (write.ts). It can be ended at any moment, which SQLite does not allow for a
 * thread, while the process that asked for it goes on. It takes its task from its arguments and reports the result.
 */
import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { ExplainedError } from '../../../../common/errors.ts'
import type { SnapshotMessage } from './request.ts'
import { writeSnapshot } from './write.ts'

const [source = '', extent, target = '']: readonly string[] = parentPort === null ? process.argv.slice(2) : workerData
const tell = (message: SnapshotMessage) =>
  parentPort === null ? process.send?.(message, undefined, {}, giveUpOn) : parentPort.postMessage(message)

/** The asking process is gone: delete the file, since nobody wants it. */
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
