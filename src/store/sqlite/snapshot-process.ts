/**
 * The process that makes a snapshot (snapshot.ts), so that whoever asked for it goes on meanwhile and can end it at once:
 * SQLite does not let a thread be interrupted in the middle of it. Told what to do as it starts, it says how that went.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { snapshot } from './snapshot.ts'
import type { SnapshotMessage } from './take-snapshot.ts'

const [source = '', target = '']: readonly string[] = parentPort === null ? process.argv.slice(2) : workerData
const tell = (message: SnapshotMessage) =>
  parentPort === null ? process.send?.(message) : parentPort.postMessage(message)

try {
  tell({ kind: 'done', contents: snapshot(source, target, (bytes) => tell({ kind: 'size', bytes })) })
} catch (error) {
  const isOurs = error instanceof Error && error.name.startsWith('Store')
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error), isOurs })
}
if (parentPort === null) process.disconnect?.()
