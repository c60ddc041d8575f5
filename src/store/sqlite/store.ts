/** The embedded store: one SQLite file with animals, keys and counters. */

import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock, Timer } from '../../common/clock.ts'
import { isOfSystem } from '../../common/errors.ts'
import { accessOf, createFile, createFolder } from '../../common/private-files.ts'
import { SAVE_AFTER_MS } from '../bounds.ts'
import type { LedgerRow, LedgerSave } from '../ledger.ts'
import type { OperatorSide } from '../operator-side.ts'
import { toUsages } from '../rows.ts'
import type { Row } from '../sql.ts'
import { type KeyStore, type Store, type StoreEvents, StoreUnusable, type UsageStore } from '../store.ts'
import type { ServiceNote } from '../upkeep.ts'
import { assertFile, type Claim, claim, realFile, share } from './file/claim.ts'
import type { ConnectionOptions } from './file/connection.ts'
import { failure, isOfSqlite, reason } from './file/failure.ts'
import { assertOwnLog, isServed, noteBeforeOpening, noteOpened } from './file/identity.ts'
import { earlierVersion } from './file/migrations.ts'
import { forgetService, noteService } from './file/service-note.ts'
import type { Statement } from './file/statement.ts'
import type { operatorHere as OperatorHere } from './operator/here.ts'
import { operatorApart } from './operator/thread.ts'
import { USAGES } from './operator/usages.ts'
import { Database } from './reading/database.ts'
import { KeyLookup } from './reading/keys.ts'
import { SqlitePets } from './reading/pets.ts'
import type { prepareUpgrade } from './upkeep/upgrade.ts'
import { WriterThread, type WriterThreadOptions } from './writing/writer-thread.ts'

/**
 * The service keeps few pages, since it keeps texts: pages that stay in the processor's own caches are faster than
 * many. An animal out of ten million costs 2 to 10 % less with 4 MiB than with 64, and a search by name, which is rare,
 * up to 2 ms more. Its event loop waits for nobody's write.
 */
const READING: ConnectionOptions = { busyTimeoutMs: 0, cacheKib: 4_096 }
/** A command waits for the write of another process. */
const COMMANDING: ConnectionOptions = { busyTimeoutMs: 10_000 }

/** How often a service looks whether its file is still the one at its path. */
const LOOK_EVERY_MS = 1_000

interface SqliteOptions {
  readonly clock: Clock
  /** This process serves requests from the file, as the only one. */
  readonly serving: boolean
  /** No service may run on the file meanwhile. */
  readonly alone?: boolean
  /** Told in a sentence what failed where no request could be answered with it. */
  readonly report?: (trouble: string) => void
  /** Told when a service's file is no longer in its place, and when it is again. */
  readonly events?: Pick<StoreEvents, 'onTrouble'>
  /** The number of a group that may read a new file. */
  readonly fileGroup?: number | undefined
  /** Told in sentences that a file of an earlier version is upgraded, and where the copy from before is. */
  readonly onUpgrade?: (sentence: string) => void
  /** Starts what writes the file for a service: a thread, unless told; then the operator's side has none either. */
  readonly startWriter?: WriterThreadOptions['start']
}

interface Opened {
  readonly database: Database
  readonly claim: Claim
}

export class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly pets: SqlitePets
  readonly keys: KeyStore
  readonly records: OperatorSide['records']
  readonly imports: OperatorSide['imports']
  readonly sync: OperatorSide['sync']
  readonly origins: OperatorSide['origins']
  readonly reports: OperatorSide['reports']
  readonly people: OperatorSide['people']
  readonly ledger: OperatorSide['ledger']
  readonly categories: OperatorSide['categories']
  readonly words: OperatorSide['words']
  readonly commits: Store['commits']
  readonly #archive: OperatorSide['archive']
  readonly #database: Database
  readonly #writer: WriterThread | undefined
  readonly #closeOperator: () => Promise<void>
  readonly #saveUsages: UsageStore['save']
  readonly #claim: Claim
  readonly #clock: Clock
  readonly #looking: Timer | undefined
  readonly #isServing: boolean
  readonly #mark: Statement
  #isInPlace = true

  /** Throws StoreUnusable. */
  static async open(path: string, options: SqliteOptions): Promise<SqliteStore> {
    // The service leaves these to its threads, and does not load them itself.
    const isHere = !options.serving || options.startWriter !== undefined
    const side = isHere ? (await import('./operator/here.ts')).operatorHere : undefined
    return new SqliteStore(path, options, await openFile(path, options), side)
  }

  private constructor(
    path: string,
    { serving, clock, report = () => {}, events, startWriter }: SqliteOptions,
    opened: Opened,
    operatorHere: typeof OperatorHere | undefined,
  ) {
    this.#clock = clock
    this.#database = opened.database
    this.#claim = opened.claim
    this.#isServing = serving
    this.#mark = this.#database.prepare(
      "SELECT (SELECT n FROM changes) || ' ' || (SELECT coalesce(max(n), 0) FROM journal)",
    )
    if (serving) this.#looking = clock.every(LOOK_EVERY_MS, () => this.#look(events)).unref()
    const { endTurn, fileId } = this.#database
    const writer = serving ? this.#toThread(path, report, startWriter) : undefined
    this.#writer = writer
    const { side, create, saveUsages, commits, close } =
      operatorHere === undefined
        ? operatorApart({ path, fileId, onAnswer: endTurn, report })
        : operatorHere({ path, clock, fileId, isServing: serving, onCommit: endTurn })
    this.#closeOperator = close
    this.#saveUsages = writer === undefined ? saveUsages : (used, spent) => writer.run('saveUsages', used, spent)
    const lookup = new KeyLookup(this.#database)
    this.pets = new SqlitePets(
      this.#database,
      writer === undefined ? create : (pet, keyId) => writer.create(pet, keyId),
    )
    this.keys = Object.assign(side.keys, { find: (hash: string) => lookup.find(hash) })
    this.ledger = Object.assign(side.ledger, { saveAfterMs: SAVE_AFTER_MS })
    this.commits = writer?.commits ?? commits
    if (writer !== undefined) {
      // With the animals of the same moment in one commit.
      Object.assign(this.keys, { markUsed: (uses: ReadonlyMap<string, number>) => writer.run('markKeysUsed', uses) })
      Object.assign(this.ledger, {
        save: (rows: readonly LedgerRow[], save: LedgerSave) => writer.run('saveLedger', rows, save),
      })
    }
    this.records = side.records
    this.imports = side.imports
    this.sync = side.sync
    this.origins = side.origins
    this.reports = side.reports
    this.people = side.people
    this.categories = side.categories
    this.words = side.words
    this.#archive = side.archive
    const forget = () => {
      this.pets.forget()
      lookup.forget()
    }
    this.#database.onChange(forget, () => writer?.readReplies())
  }

  /** Told once when the file is gone from its place, and once when it is back. */
  #look(events: SqliteOptions['events']): void {
    const { path } = this.#database.connection
    if (this.#database.isInPlace() === this.#isInPlace) return
    this.#isInPlace = !this.#isInPlace
    const trouble = this.#isInPlace
      ? undefined
      : `the database ${path} is no longer the file that this service has open: it was moved, removed or replaced; requests get 503 until it is back. Or stop the service, see which file is the right one, and start it again`
    this.#database.noteMoved(trouble)
    events?.onTrouble(trouble)
  }

  #toThread(path: string, report: (trouble: string) => void, start: SqliteOptions['startWriter']): WriterThread {
    return new WriterThread({
      path,
      clock: this.#clock,
      fileId: this.#database.fileId,
      report,
      start,
      onReply: this.#database.endTurn,
      onCreated: (from, to, created) => {
        const apply = () => {
          for (const { pet, text } of created) this.pets.noteCreated(text, pet.status)
        }
        this.#database.noteOwn({ from, to, apply })
      },
    })
  }

  ping(): void {
    this.#database.look()
  }

  identity(): string {
    const db = this.#database
    return String(db.read(() => db.prepare('SELECT id FROM identity').get() as unknown as [string])[0])
  }

  /** The first number grows with each change of an animal, the second with those of the names of categories. */
  changeMark(): string {
    return String((this.#database.read(() => this.#mark.get()) as unknown as [string])[0])
  }

  async archive() {
    return this.#archive
  }

  announce(note: ServiceNote): void {
    try {
      noteService(this.#claim, note)
    } catch (error) {
      throw failure(error)
    }
  }

  counters(): UsageStore {
    const select = this.#database.prepare(USAGES)
    const load = () => toUsages(this.#database.read(() => select.all()) as unknown as Row[])
    return { load, save: this.#saveUsages }
  }

  async close(): Promise<void> {
    this.#clock.cancel(this.#looking)
    await this.#writer?.close()
    await this.#closeOperator()
    this.#database.close()
    if (this.#isServing) forgetService(this.#claim)
    this.#claim.release()
  }
}

/** Claims the file, and only then opens it: so nobody puts another one in its place meanwhile. Throws StoreUnusable. */
async function openFile(path: string, options: SqliteOptions): Promise<Opened> {
  const { serving, clock, alone = false, report = () => {}, fileGroup, onUpgrade = () => {} } = options
  let claim: Claim | undefined
  let upgrade: Awaited<ReturnType<typeof prepareUpgrade>>
  let database: Database | undefined
  try {
    assertFile(path)
    if (existsSync(path)) accessSync(path, constants.W_OK)
    createFolder(dirname(path), fileGroup)
    claim = serving || alone ? claimAlone(path, serving, fileGroup) : share(path, fileGroup)
    const own = serving || alone ? claim : undefined
    if (own !== undefined) forgetService(own)
    assertOwnLog(path, own)
    // Beside a service nothing is noted: it has done that.
    const isFirst = own !== undefined || !isServed(path)
    if (isFirst) noteBeforeOpening(path, own)
    createFile(realFile(path), accessOf(realFile(path), fileGroup))
    if (earlierVersion(path) !== undefined) {
      const { prepareUpgrade } = await import('./upkeep/upgrade.ts')
      upgrade = await prepareUpgrade(path, { clock, isAlone: own !== undefined, onUpgrade })
    }
    database = new Database(path, { ...(serving ? READING : COMMANDING), clock, report })
    upgrade?.done()
    if (isFirst) noteOpened(database.connection, own)
    return { database, claim }
  } catch (error) {
    database?.close()
    claim?.release()
    if (!isOfSqlite(error) && !isOfSystem(error)) throw error
    throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
  } finally {
    upgrade?.release()
  }
}

function claimAlone(path: string, serving: boolean, fileGroup: number | undefined): Claim {
  const taken = serving
    ? `Another \`pets serve\` is running on ${path}; stop it first (or wait for the end of a restore or a copy), or name another file with --database.`
    : `\`pets serve\` is running on ${path}; stop it first and try again.`
  return claim(path, 'serving', taken, { fileGroup })
}
