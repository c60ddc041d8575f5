/**
 * The file as this process reads it. All reads of one turn of the event loop share a transaction, and with it one look
 * whether anybody has committed since; what is kept in memory is used only after that look, so an answer from memory is
 * as fresh as one from the file. Changes that the service made itself need not throw it away: they are known.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Connection } from './connection.ts'
import { reason } from './failure.ts'

/** One commit of this service: the count of changes before and after it, and what it does to what is kept in memory. */
export interface OwnCommit {
  readonly from: bigint
  readonly to: bigint
  /** Brings what is kept up to date. */
  apply(): void
}

export class Database {
  readonly connection: Connection
  readonly #dataVersion: StatementSync
  readonly #changes: StatementSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #report: (trouble: string) => void
  #seenVersion = -1n
  /** The count of changes that what is kept in memory is true of. */
  #changesSeen = -1n
  #ownCommits: OwnCommit[] = []
  #inTurn = false
  #forget: () => void = () => {}
  #catchUp: () => void = () => {}

  /** `report` is told in a sentence what failed where no request could be answered with it. Throws StoreUnusable. */
  constructor(path: string, options: { busyTimeoutMs: number; report: (trouble: string) => void }) {
    this.connection = new Connection(path, options)
    this.#report = options.report
    this.#dataVersion = this.prepare('PRAGMA data_version')
    this.#changes = this.prepare('SELECT n FROM changes')
    this.#begin = this.prepare('BEGIN')
    this.#commit = this.prepare('COMMIT')
  }

  prepare(sql: string): StatementSync {
    return this.connection.prepare(sql)
  }

  /** Runs one read. Throws StoreUnavailable. */
  read<T>(work: () => T): T {
    return this.connection.read(work)
  }

  /** One more connection to the same file, which only reads. */
  openReader(): DatabaseSync {
    return new DatabaseSync(this.connection.path, { readOnly: true })
  }

  /**
   * Names what is to be forgotten when somebody else has changed the file, and what asks for own commits that are known
   * by now: it calls `noteOwn` for each before it returns.
   */
  onChange(forget: () => void, catchUp: () => void): void {
    this.#forget = forget
    this.#catchUp = catchUp
  }

  noteOwn(commit: OwnCommit): void {
    if (commit.to > this.#changesSeen) this.#ownCommits.push(commit)
  }

  /**
   * Opens the turn: from here to the end of this turn of the event loop all reads share one read transaction, which makes
   * each three times cheaper. Throws StoreUnavailable.
   */
  look(): void {
    if (this.#inTurn) return
    this.#inTurn = true
    setImmediate(this.endTurn)
    try {
      this.read(() => {
        this.#open()
        if (this.#ownCommits.length === 0) return
        // Of these the requester may know already, and the transaction is older.
        this.#commit.run()
        this.#open()
      })
    } catch (error) {
      this.endTurn() // so that the next request looks again, rather than trusting what is in memory
      throw error
    }
  }

  #open(): void {
    this.#begin.run()
    const [version] = this.#dataVersion.get() as unknown as [bigint]
    if (version === this.#seenVersion) return
    const [changes] = this.#changes.get() as unknown as [bigint]
    this.#moveTo(changes)
    this.#seenVersion = version
  }

  /**
   * Each change counts one, so where the service's own commits lead without a gap from what is kept to what the file holds
   * now, nobody else has changed anything. A commit that the file shows and nobody has told of yet looks like a gap, and
   * costs no more than reading again.
   */
  #moveTo(changes: bigint): void {
    if (changes !== this.#changesSeen) this.#catchUp()
    const later: OwnCommit[] = []
    for (const commit of this.#ownCommits) {
      if (commit.to > changes) later.push(commit)
      else if (commit.from === this.#changesSeen) {
        commit.apply()
        this.#changesSeen = commit.to
      }
    }
    this.#ownCommits = later
    if (this.#changesSeen !== changes) this.#forget()
    this.#changesSeen = changes
  }

  readonly endTurn = (): void => {
    if (!this.#inTurn) return
    this.#inTurn = false
    if (!this.connection.inTransaction) return
    try {
      this.#commit.run()
    } catch (error) {
      this.connection.rollBack()
      this.#report(`The database failed at the end of a read: ${reason(error)}`)
    }
  }

  close(): void {
    this.endTurn()
    this.connection.close()
  }
}
