/**
 * Writes a file for a service: one batch after another, each in one transaction, and may wait for the disk as long as
 * needed, in a thread of its own (writer-worker.ts). After a failure it closes its connection and opens a new one, so
 * that nothing later depends on what SQLite or the system remember of the failure.
 */
import type { StatementSync } from 'node:sqlite'
import type { Clock } from '../../../common/clock.ts'
import { Keys } from '../../keys.ts'
import { Ledger } from '../../ledger.ts'
import { StoreUnavailable } from '../../store.ts'
import { Connection } from '../file/connection.ts'
import { failure, isBusy, isConstraint, reason } from '../file/errors.ts'
import { serializeError } from '../file/thread-errors.ts'
import { fileId } from '../file/wal.ts'
import { withinBatch } from '../operator/database.ts'
import { saveUsages } from '../operator/usages.ts'
import { petWriter } from './pets.ts'
import { type Batch, CLOSE, type Reply, type Trouble, type WriterData, type Writes } from './writer-messages.ts'

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

function writesOn(connection: Connection): Writes {
  const db = withinBatch(connection)
  const [ledger, keys] = [new Ledger(db), new Keys(db)]
  return {
    saveLedger: (rows, save) => ledger.save(rows, save),
    saveUsages: (used, spent) => saveUsages(db, used, spent),
    markKeysUsed: (uses) => keys.markUsed(uses),
  }
}

interface OpenFile {
  readonly connection: Connection
  readonly pets: ReturnType<typeof petWriter>
  readonly writes: Writes
  readonly changes: StatementSync
  /** Returns the length of the log, and copies nothing. */
  readonly logState: StatementSync
  readonly checkpoint: StatementSync
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Takes batches from the port until it is told to close. */
export function writeFor(data: WriterData, clock: Clock): void {
  const { port } = data
  const writer = new FileWriter(data, clock)
  port.on('message', (message: Batch | typeof CLOSE) => {
    if (message === CLOSE) {
      writer.giveUp()
      port.close()
      return
    }
    void writer.perform(message).then((reply) => {
      port.postMessage(reply)
      writer.keepLogShort()
    })
  })
}

class FileWriter {
  readonly #data: WriterData
  readonly #clock: Clock
  #file: OpenFile | undefined
  /** The length of the log at the last checkpoint that could not empty it. */
  #pagesTried = 0
  #trouble: string | undefined

  constructor(data: WriterData, clock: Clock) {
    this.#data = data
    this.#clock = clock
  }

  async perform({ creates, creators, minute, writes, patienceMs }: Batch): Promise<Reply> {
    try {
      this.#assertInPlace('nothing was done')
      this.#file ??= open(this.#data.path)
      const { connection, pets, writes: known } = this.#file
      if (!begin(connection, patienceMs, this.#clock)) return { kind: 'busy' }
      const from = changesOf(this.#file)
      const firstId = creates.length > 0 ? pets.create(creates) : 0n
      pets.noteCreators(firstId, creators, minute)
      const results = []
      for (const [name, args] of writes) {
        results.push(await run(connection, known[name] as (...args: unknown[]) => Promise<void>, args))
      }
      const to = changesOf(this.#file)
      connection.exec('COMMIT')
      this.#assertInPlace('this was written to the file that was there before')
      return { kind: 'committed', from, to, firstId, results }
    } catch (error) {
      this.giveUp()
      const sent = serializeError(error)
      // A file that cannot be opened now may be opened later.
      if (sent.kind !== 'unusable') return { kind: 'failed', error: sent }
      return { kind: 'failed', error: { ...sent, kind: 'unavailable', retryAfterS: RETRY_OPEN_S } }
    }
  }

  keepLogShort(): void {
    if (this.#file === undefined) return
    const { connection, logState, checkpoint } = this.#file
    try {
      const [, pages] = (logState.get() as unknown as [bigint, bigint, bigint]).map(Number) as [number, number, number]
      if (pages < this.#pagesTried) this.#pagesTried = 0
      if (pages < this.#pagesTried + CHECKPOINT_PAGES) return
      connection.exec(`PRAGMA busy_timeout = ${CHECKPOINT_PATIENCE_MS}`)
      const [isIncomplete] = checkpoint.get() as unknown as [bigint]
      connection.exec('PRAGMA busy_timeout = 0')
      this.#pagesTried = isIncomplete === 0n ? 0 : pages
      this.#tell(undefined)
    } catch (error) {
      this.#tell(`The write-ahead log cannot be copied into the database at the moment: ${reason(error)}`)
      this.giveUp()
    }
  }

  giveUp(): void {
    try {
      this.#file?.connection.close()
    } catch {} // the failure has been reported
    this.#file = undefined
  }

  /** What goes into a file that is no longer at its path is lost for whoever asks next: none of it is acknowledged. */
  #assertInPlace(outcome: string): void {
    const { path, fileId: ours } = this.#data
    if (fileId(path) === ours) return
    throw new StoreUnavailable(`${path} was moved, removed or replaced; ${outcome}.`, { retryAfterS: RETRY_OPEN_S })
  }

  /** Reports each trouble once, and its end. */
  #tell(now: string | undefined): void {
    if (now === this.#trouble) return
    this.#trouble = now
    const message: Trouble = { kind: 'trouble', trouble: now }
    this.#data.port.postMessage(message)
  }
}

function open(path: string): OpenFile {
  const connection = new Connection(path, { busyTimeoutMs: 0 })
  // A checkpoint within a commit would delay its reply.
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  return {
    connection,
    pets: petWriter(connection),
    writes: writesOn(connection),
    changes: connection.prepare('SELECT n FROM changes'),
    logState: connection.prepare('PRAGMA wal_checkpoint(NOOP)'),
    checkpoint: connection.prepare('PRAGMA wal_checkpoint(RESTART)'),
  }
}

/** Takes the write lock; false if another process holds it for longer than `patienceMs`. */
function begin(connection: Connection, patienceMs: number, clock: Clock): boolean {
  const untilMs = clock.monotonic() + patienceMs
  for (;;) {
    try {
      connection.exec('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (clock.monotonic() >= untilMs) return false
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
async function run(connection: Connection, write: (...args: unknown[]) => Promise<void>, args: readonly unknown[]) {
  connection.exec('SAVEPOINT one')
  try {
    return { value: await write(...args) }
  } catch (error) {
    if (failure(error) instanceof StoreUnavailable && !isConstraint(error)) throw error
    connection.exec('ROLLBACK TO one')
    return { error: serializeError(error) }
  } finally {
    if (connection.inTransaction) connection.exec('RELEASE one')
  }
}
