/** Does in this thread what a service does in threads and processes, which take twenty times as long to start. */
import { EventEmitter } from 'node:events'
import type { Clock } from '../../src/common/clock.ts'
import type { ThreadData } from '../../src/store/sqlite/file/file-thread.ts'
import type { requestSnapshot } from '../../src/store/sqlite/maintenance/backup.ts'
import { writeSnapshot } from '../../src/store/sqlite/maintenance/snapshot.ts'
import { workFor } from '../../src/store/sqlite/work.ts'

export function workHere(clock: Clock) {
  return (data: ThreadData) => {
    const thread = new EventEmitter()
    data.port.once('close', () => thread.emit('exit', 0))
    void workFor(data, clock)
    return Object.assign(thread, { ref() {}, unref() {} })
  }
}

export const snapshotHere: typeof requestSnapshot = (source, target, _options, extent = 'with its log') =>
  writeSnapshot(source, extent, target)
