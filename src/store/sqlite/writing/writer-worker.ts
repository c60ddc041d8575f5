/**
 * The thread that writes the service's file. It processes one batch after another, each in one transaction, and may
 * wait for the disk as long as needed. After a failure it closes its connection and opens a new one, so that nothing
 * later depends on what SQLite or the system remember of the failure.
 */
import type { StatementSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../../common/system-clock.ts'
import { SessionEnded } from '../../people.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { Connection } from '../file/connection.ts'
import { failure, isBusy, isConstraint, primaryCode, reason } from '../file/failure.ts'
import { fileId } from '../file/identity.ts'
import { type Batch, CLOSE, type Reply, type SentError, type Trouble, type WriterData } from './writer-messages.ts'
import { allWrites, type Writes } from './writes.ts'

/** The pause between two attempts to begin, while another process writes. */
const TRY_EVERY_MS = 1
/** The log is copied into the file each time it has grown by this many pages (4 MB). */
const CHECKPOINT_PAGES = 1_000
/**
 * How long a checkpoint waits for readers to leave the log; the service's own reads do so within a turn of its event
 * loop.
 */
const CHECKPOINT_PATIENCE_MS = 50
/** Retry-After in seconds if the file cannot be opened. */
const RETRY_OPEN_S = 5

interface OpenFile {
  readonly connection: Connection
  readonly writes: Writes
  readonly changes: StatementSync
  /** Returns the length of the log, and copies nothing. */
  readonly logState: StatementSync
  readonly checkpoint: StatementSync
}

const { path, fileId: ours, port } = workerData as WriterData
const sleeper = new Int32Array(new SharedArrayBuffer(4))
let file: OpenFile | undefined
/** The length of the log at the last checkpoint that could not empty it. */
let pagesTried = 0
let trouble: string | undefined

port.on('message', (message: Batch | typeof CLOSE) => {
  if (message === CLOSE) {
    giveUp()
    port.close()
    return
  }
  port.postMessage(perform(message))
  keepLogShort()
})

function open(): OpenFile {
  const connection = new Connection(path, { busyTimeoutMs: 0 })
  // A checkpoint within a commit would delay its reply.
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  return {
    connection,
    writes: allWrites(connection),
    changes: connection.prepare('SELECT n FROM changes'),
    logState: connection.prepare('PRAGMA wal_checkpoint(NOOP)'),
    checkpoint: connection.prepare('PRAGMA wal_checkpoint(RESTART)'),
  }
}

function giveUp(): void {
  try {
    file?.connection.close()
  } catch {} // the failure has been reported
  file = undefined
}

function perform({ creates, writes, patienceMs }: Batch): Reply {
  try {
    assertInPlace('nothing was done')
    file ??= open()
    const { connection, writes: known } = file
    if (!begin(connection, patienceMs)) return { kind: 'busy' }
    const from = changesOf(file)
    const firstId = creates.length > 0 ? known.createPets(creates) : 0n
    const results = writes.map(([name, args]) => run(connection, known[name] as (...args: unknown[]) => unknown, args))
    const to = changesOf(file)
    connection.exec('COMMIT')
    assertInPlace('this was written to the file that was there before')
    return { kind: 'committed', from, to, firstId, results }
  } catch (error) {
    giveUp()
    const sent = toSent(error)
    // A file that cannot be opened now may be opened later.
    if (sent.kind !== 'unusable') return { kind: 'failed', error: sent }
    return { kind: 'failed', error: { ...sent, kind: 'unavailable', retryAfterS: RETRY_OPEN_S } }
  }
}

/** What goes into a file that is no longer at its path is lost for whoever asks next: nothing of it is acknowledged. */
function assertInPlace(outcome: string): void {
  if (fileId(path) === ours) return
  throw new StoreUnavailable(`${path} was moved, removed or replaced; ${outcome}.`, { retryAfterS: RETRY_OPEN_S })
}

/** Takes the write lock; false if another process holds it for longer than `patienceMs`. */
function begin(connection: Connection, patienceMs: number): boolean {
  const untilMs = systemClock.monotonic() + patienceMs
  for (;;) {
    try {
      connection.exec('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (systemClock.monotonic() >= untilMs) return false
    Atomics.wait(sleeper, 0, 0, TRY_EVERY_MS)
  }
}

function changesOf({ changes }: OpenFile): bigint {
  const [n] = changes.get() as unknown as [bigint]
  return n
}

/**
 * Runs one write. A violated constraint, or an error of ours, fails this one only; a failure of the file fails the
 * whole batch.
 */
function run(connection: Connection, write: (...args: unknown[]) => unknown, args: readonly unknown[]) {
  connection.exec('SAVEPOINT one')
  try {
    return { value: write(...args) }
  } catch (error) {
    if (failure(error) instanceof StoreUnavailable && !isConstraint(error)) throw error
    connection.exec('ROLLBACK TO one')
    return { error: toSent(error) }
  } finally {
    if (connection.inTransaction) connection.exec('RELEASE one')
  }
}

function toSent(error: unknown): SentError {
  if (error instanceof SessionEnded) return { kind: 'session ended', message: error.message }
  const told = failure(error)
  const errcode = primaryCode(error)
  if (told instanceof StoreUnavailable) {
    return { kind: 'unavailable', message: told.reason, retryAfterS: told.retryAfterS, errcode }
  }
  if (told instanceof StoreUnusable) return { kind: 'unusable', message: told.message }
  return { kind: 'bug', message: told instanceof Error ? (told.stack ?? told.message) : String(told), errcode }
}

function keepLogShort(): void {
  if (file === undefined) return
  const { connection, logState, checkpoint } = file
  try {
    const [, pages] = (logState.get() as unknown as [bigint, bigint, bigint]).map(Number) as [number, number, number]
    if (pages < pagesTried) pagesTried = 0
    if (pages < pagesTried + CHECKPOINT_PAGES) return
    connection.exec(`PRAGMA busy_timeout = ${CHECKPOINT_PATIENCE_MS}`)
    const [isIncomplete] = checkpoint.get() as unknown as [bigint]
    connection.exec('PRAGMA busy_timeout = 0')
    pagesTried = isIncomplete === 0n ? 0 : pages
    tell(undefined)
  } catch (error) {
    tell(`The write-ahead log cannot be copied into the database at the moment: ${reason(error)}`)
    giveUp()
  }
}

/** Reports each trouble once, and its end. */
function tell(now: string | undefined): void {
  if (now === trouble) return
  trouble = now
  const message: Trouble = { kind: 'trouble', trouble }
  port.postMessage(message)
}
