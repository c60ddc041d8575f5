/**
 * What a service does in a thread and a command in a process of its own, done in this thread: the same batches and
 * replies on the same port, and the same copy. A thread takes twenty times as long to start as a service that writes
 * here, and tests and histories start services again and again (../support/app.ts).
 */
import { EventEmitter } from 'node:events'
import { systemClock } from '../../src/common/system-clock.ts'
import type { requestSnapshot } from '../../src/store/sqlite/maintenance/snapshot/request.ts'
import { writeSnapshot } from '../../src/store/sqlite/maintenance/snapshot/write.ts'
import { writeFor } from '../../src/store/sqlite/writing/file-writer.ts'
import type { WriterData } from '../../src/store/sqlite/writing/writer-messages.ts'

export function writeHere(data: WriterData) {
  const thread = new EventEmitter()
  data.port.once('close', () => thread.emit('exit', 0))
  writeFor(data, systemClock)
  return Object.assign(thread, { ref() {}, unref() {} })
}

export const snapshotHere: typeof requestSnapshot = (source, target, _options, extent = 'with its log') =>
  writeSnapshot(source, extent, target, () => {})
