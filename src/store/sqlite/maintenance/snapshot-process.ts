/** The process that writes a snapshot (snapshot.ts). Unlike a thread, it can be ended at any moment. */
import { serializeError } from '../file/errors.ts'
import type { SnapshotAnswer } from './backup.ts'
import { writeSnapshot } from './snapshot.ts'

const [source = '', extent, target = ''] = process.argv.slice(-3)

async function answer(): Promise<SnapshotAnswer> {
  try {
    return { contents: await writeSnapshot(source, extent === 'alone' ? extent : 'with its log', target) }
  } catch (error) {
    return { error: serializeError(error) }
  }
}

const result = await answer()
// The parent process might be gone.
process.send?.(result, undefined, {}, () => {})
