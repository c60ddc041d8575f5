/** The writer thread of a service: commits one batch after another, and copies the log into the file after replying. */
import type { DatabaseSync } from 'node:sqlite'
import { saveCounters } from '../../counter-rows.ts'
import { Keys } from '../../keys.ts'
import { Ledger } from '../../ledger.ts'
import type { MemberValue } from '../../rows.ts'
import type { Database } from '../../sql.ts'
import { reason } from '../file/errors.ts'
import { FileDatabase, type FileDatabaseOptions } from '../file/file-database.ts'
import { type Creator, petWriter } from './pets.ts'

/** The log is copied each time it has grown by this many pages (4 MB). */
const CHECKPOINT_PAGES = 1_000
/** How long a checkpoint waits for readers to leave the log. */
const CHECKPOINT_TIMEOUT_MS = 50

/** Other writes of the public port, in the same commits. */
function writesOn(database: Database) {
  const [ledger, keys] = [new Ledger(database), new Keys(database)]
  return {
    saveLedger: (...args: Parameters<Ledger['save']>) => ledger.save(...args),
    markKeysUsed: (...args: Parameters<Keys['markUsed']>) => keys.markUsed(...args),
    saveCounters: saveCounters.bind(undefined, database),
  }
}

export type Writes = ReturnType<typeof writesOn>

export type WriteName = keyof Writes

export interface Batch {
  /** The STORED_MEMBERS of each animal: a flat array is cheaper to send than objects. */
  readonly creates: readonly MemberValue[]
  readonly creators: readonly Creator[]
  readonly minute: number
  readonly writes: readonly (readonly [name: WriteName, args: readonly unknown[]])[]
  readonly timeoutMs: number
}

export interface CommitResult {
  readonly from: bigint
  readonly to: bigint
  readonly firstId: bigint
  /** Why the log could not be copied after the previous batch. */
  readonly logTrouble: string | undefined
}

export type WriterSide = ReturnType<typeof openWriter>['side']

export function openWriter(options: FileDatabaseOptions) {
  const database = new FileDatabase(options)
  return { side: { batches: batchesOn(database) }, close: () => database.close() }
}

function batchesOn(database: FileDatabase) {
  const writesInside = writesOn(database.inside)
  let statements: ReturnType<typeof prepare> | undefined
  /** The length of the log at the last checkpoint that could not empty it. */
  let pagesTried = 0
  let logTrouble: string | undefined
  const keepLogShort = () => {
    if (statements === undefined) return
    const { connection, logState, checkpoint } = statements
    try {
      const [, pages] = (logState.get() as unknown as [bigint, bigint, bigint]).map(Number) as [number, number, number]
      if (pages < pagesTried) pagesTried = 0
      if (pages < pagesTried + CHECKPOINT_PAGES) return
      connection.exec(`PRAGMA busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`)
      const [isIncomplete] = checkpoint.get() as unknown as [bigint]
      connection.exec('PRAGMA busy_timeout = 0')
      pagesTried = isIncomplete === 0n ? 0 : pages
      logTrouble = undefined
    } catch (error) {
      logTrouble = reason(error)
      statements = undefined
      void database.close()
    }
  }
  return {
    async commit({ creates, creators, minute, writes, timeoutMs }: Batch): Promise<CommitResult> {
      const work = async (connection: DatabaseSync) => {
        if (statements?.connection !== connection) statements = prepare(connection)
        const { pets, changes } = statements
        const count = () => (changes.get() as unknown as [bigint])[0]
        const from = count()
        const firstId = creates.length > 0 ? pets.create(creates) : 0n
        pets.noteCreators(firstId, creators, minute)
        for (const [name, args] of writes) await (writesInside[name] as (...args: unknown[]) => Promise<void>)(...args)
        return { from, to: count(), firstId, logTrouble }
      }
      const committed = await database.transact(work, { timeoutMs })
      setImmediate(keepLogShort)
      return committed
    },
  }
}

function prepare(connection: DatabaseSync) {
  // A checkpoint within a commit would delay its reply.
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  return {
    connection,
    pets: petWriter(connection),
    changes: connection.prepare('SELECT n FROM changes'),
    logState: connection.prepare('PRAGMA wal_checkpoint(NOOP)'),
    checkpoint: connection.prepare('PRAGMA wal_checkpoint(RESTART)'),
  }
}
