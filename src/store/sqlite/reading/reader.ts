/** Reads in one turn of the event loop share a transaction, which checks once for foreign commits. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { big, type SqlRow } from '../../sql.ts'
import { StoreUnavailable } from '../../store.ts'
import { type ConnectionOptions, openConnection, rollBack } from '../file/connection.ts'
import { failure, RETRY_FAILED_S, reason } from '../file/errors.ts'
import { fileId } from '../file/wal.ts'

/** A commit of this service: the change counter before and after, and its effect on the cache. */
interface OwnCommit {
  readonly from: bigint
  readonly to: bigint
  apply(): void
}

/** Throws StoreUnavailable. */
export interface ReadStatement {
  get(...values: readonly SQLInputValue[]): SqlRow | undefined
  all(...values: readonly SQLInputValue[]): readonly SqlRow[]
}

export class SqliteReader {
  readonly #path: string
  readonly #db: DatabaseSync
  /** The open file, which might no longer be at its path. */
  readonly fileId: string | undefined
  readonly #dataVersion: ReadStatement
  readonly #changes: ReadStatement
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #report: (trouble: string) => void
  #seenVersion = -1n
  /** The change counter for which the cache is valid. */
  #changesSeen = -1n
  #ownCommits: OwnCommit[] = []
  #inTurn = false
  #moved: string | undefined
  readonly #forgetters: (() => void)[] = []
  #catchUp: () => void = () => {}

  /** `report` gets sentences about failures that no response could report. Throws StoreUnusable. */
  constructor(path: string, options: ConnectionOptions & { readonly report: (trouble: string) => void }) {
    this.#path = path
    this.#db = openConnection(path, options)
    this.fileId = fileId(path)
    this.#report = options.report
    this.#dataVersion = this.prepare('PRAGMA data_version')
    this.#changes = this.prepare('SELECT n FROM changes')
    this.#begin = this.#db.prepare('BEGIN')
    this.#commit = this.#db.prepare('COMMIT')
  }

  prepare(sql: string): ReadStatement {
    let statement: StatementSync | undefined
    const run = (how: (statement: StatementSync) => unknown) => {
      try {
        statement ??= this.#db.prepare(sql)
        return how(statement)
      } catch (error) {
        throw failure(error)
      }
    }
    return {
      get: (...values) => run((statement) => statement.get(...values)) as SqlRow | undefined,
      all: (...values) => run((statement) => statement.all(...values)) as readonly SqlRow[],
    }
  }

  /** A second, read-only connection. Throws StoreUnavailable. */
  openReader(): DatabaseSync {
    this.#assertInPlace()
    try {
      return new DatabaseSync(this.#path, { readOnly: true })
    } catch (error) {
      throw failure(error)
    }
  }

  /** Checks whether the open file is still at its path, and reports each change once. If it is not, nothing is read. */
  look(onTrouble: (trouble: string | undefined) => void): void {
    const moved = this.#whyMoved()
    if (moved === this.#moved) return
    this.#moved = moved
    onTrouble(moved)
  }

  #whyMoved(): string | undefined {
    const path = this.#path
    try {
      if (fileId(path) === this.fileId) return undefined
    } catch (error) {
      return `the database ${reason(error).replace(/\.$/, '')}; requests get 503 until that is mended`
    }
    return `the database ${path} is no longer the file that this service has open: it was moved, removed or replaced; requests get 503 until it is back. Or stop the service, see which file is the right one, and start it again`
  }

  #assertInPlace(): void {
    if (this.#moved !== undefined) {
      throw new StoreUnavailable(this.#moved, { isReported: true, retryAfterS: RETRY_FAILED_S })
    }
  }

  onChange(forget: () => void): void {
    this.#forgetters.push(forget)
  }

  onCatchUp(catchUp: () => void): void {
    this.#catchUp = catchUp
  }

  noteOwn(commit: OwnCommit): void {
    if (commit.to > this.#changesSeen) this.#ownCommits.push(commit)
  }

  /** All reads of this turn share one snapshot, which makes each three times faster. Throws StoreUnavailable. */
  shareSnapshot(): void {
    if (this.#inTurn) return
    this.#assertInPlace()
    this.#inTurn = true
    setImmediate(this.endTurn)
    try {
      this.#open()
      if (this.#ownCommits.length === 0) return
      // The client might already know of these commits, and the transaction is older.
      this.#commit.run()
      this.#open()
    } catch (error) {
      this.endTurn() // so that the next request checks again, instead of trusting the cache
      throw failure(error)
    }
  }

  #open(): void {
    this.#begin.run()
    const version = big(this.#dataVersion.get()?.[0])
    if (version === this.#seenVersion) return
    this.#moveTo(big(this.#changes.get()?.[0]))
    this.#seenVersion = version
  }

  /** Own commits without a gap prove that no other process has committed. An unreported commit only causes a reread. */
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
    if (this.#changesSeen !== changes) for (const forget of this.#forgetters) forget()
    this.#changesSeen = changes
  }

  readonly endTurn = (): void => {
    if (!this.#inTurn) return
    this.#inTurn = false
    if (!this.#db.isTransaction) return
    try {
      this.#commit.run()
    } catch (error) {
      rollBack(this.#db)
      this.#report(`The database failed at the end of a read: ${reason(error)}`)
    }
  }

  close(): void {
    this.endTurn()
    this.#db.close()
  }
}
