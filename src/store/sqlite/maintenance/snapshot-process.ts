/**
 * The process that writes a snapshot (snapshot.ts): it can be ended at any moment, which SQLite does not allow for a
 * thread, while the process that asked for it goes on. It takes its task from its arguments.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { serializeError } from '../file/errors.ts'
import type { SnapshotAnswer } from './backup.ts'
import { writeSnapshot } from './snapshot.ts'

const [source = '', extent, target = '']: readonly string[] = parentPort === null ? process.argv.slice(2) : workerData

async function answer(): Promise<SnapshotAnswer> {
  try {
    return { contents: await writeSnapshot(source, extent === 'alone' ? extent : 'with its log', target) }
  } catch (error) {
    return { error: serializeError(error) }
  }
}

const result = await answer()
// The process that asked may be gone.
if (parentPort === null) process.send?.(result, undefined, {}, () => {})
else parentPort.postMessage(result)
