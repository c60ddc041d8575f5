/**
 * The process that makes a snapshot (snapshot.ts), so that whoever asked for it goes on meanwhile and can end it at once:
 * SQLite does not let a thread be interrupted in the middle of it. Told what to do as it starts, it says how that went.
 */
import { snapshot } from './snapshot.ts'
import type { SnapshotMessage } from './take-snapshot.ts'

const [, , source = '', target = ''] = process.argv
const tell = (message: SnapshotMessage) => process.send?.(message)

try {
  tell({ kind: 'done', contents: snapshot(source, target, (bytes) => tell({ kind: 'size', bytes })) })
} catch (error) {
  const isOurs = error instanceof Error && error.name.startsWith('Store')
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error), isOurs })
}
process.disconnect?.()
