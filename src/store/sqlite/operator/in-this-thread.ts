/** The operator's side of a file in this thread: of a command, or of the thread of a service (worker.ts). */
import type { Clock } from '../../../common/clock.ts'
import { operatorSide } from '../../operator-side.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { lockForImport } from '../file/file-lock.ts'
import { OperatorDatabase } from './database.ts'
import { storedUsages } from './usages.ts'

/** How long a write waits for that of another process. */
const PATIENCE_MS = { command: 10_000, service: 5_000 }
/** Retry-After in seconds while another file is in the place of this one. */
const RETRY_MOVED_S = 5

interface OperatorHereOptions {
  readonly path: string
  readonly clock: Clock
  /** The file that is open at the path (../file/wal.ts). */
  readonly fileId: string | undefined
  readonly isServing: boolean
  /** Called after each commit. */
  readonly onCommit: () => void
}

export function operatorInThisThread({ path, clock, fileId, isServing, onCommit }: OperatorHereOptions) {
  const moved = `${path} was moved, removed or replaced`
  const database = new OperatorDatabase({
    ...{ path, clock, fileId, onCommit, lockForImport: () => lockForImport(path) },
    patienceMs: isServing ? PATIENCE_MS.service : PATIENCE_MS.command,
    moved: () =>
      isServing
        ? new StoreUnavailable(`${moved}; nothing was done.`, { retryAfterS: RETRY_MOVED_S })
        : new StoreUnusable(
            `${moved} while this command was working on it; what was not done yet is left undone. See which file is the right one, and try again.`,
          ),
  })
  return { side: operatorSide(database, { usages: storedUsages(database) }), close: () => database.close() }
}
