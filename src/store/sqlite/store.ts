/** The embedded store: one SQLite file with animals, keys and counters. */

import type { Clock } from '../../common/clock.ts'
import { MemoryCounters } from '../memory-counters.ts'
import { type Archive, type Store, StoreUnusable } from '../store.ts'
import { SqliteArchive } from './archive.ts'
import { claim } from './claim.ts'
import type { CommandWriter } from './command-writer.ts'
import type { ConnectionOptions } from './connection.ts'
import { Database } from './database.ts'
import { isOfSqlite, reason } from './failure.ts'
import { assertOwnLog, noteIdentity } from './identity.ts'
import { SqliteImports } from './imports.ts'
import { SqliteKeys } from './keys.ts'
import { SqlitePeople } from './people.ts'
import { SqlitePets } from './pets.ts'
import { SqliteRecords } from './records.ts'
import { SqliteSamples } from './samples.ts'
import { SqliteUsage } from './usage.ts'
import type { Writer } from './writer.ts'
import { WriterThread } from './writer-thread.ts'

/**
 * The service keeps few pages, since it keeps texts: pages that stay in the processor's own caches are faster than many. An
 * animal out of ten million costs 2 to 10 % less with 4 MiB than with 64, and a search by name, which is rare, up to 2 ms
 * more. Its event loop waits for nobody's write.
 */
const READING: ConnectionOptions = { busyTimeoutMs: 0, cacheKib: 4_096 }
/** A command waits for the write of another process. */
const COMMANDING: ConnectionOptions = { busyTimeoutMs: 10_000 }

export interface SqliteOptions {
  /** This process serves requests from the file, as the only one. */
  readonly serving: boolean
  /** No service may run on the file meanwhile. */
  readonly alone?: boolean
  /** Told in a sentence what failed where no request could be answered with it. */
  readonly report?: (trouble: string) => void
}

export class SqliteStore implements Store {
  readonly pets: SqlitePets
  readonly keys: SqliteKeys
  readonly records: SqliteRecords
  readonly imports: SqliteImports
  readonly samples: SqliteSamples
  readonly people: SqlitePeople
  readonly archive: Archive
  readonly #database: Database
  readonly #writer: Writer
  readonly #usage: SqliteUsage
  readonly #release: (() => void) | undefined

  /** Throws StoreUnusable. */
  static async open(path: string, options: SqliteOptions): Promise<SqliteStore> {
    // The service leaves the operations to its thread, and does not load them itself.
    const commands = options.serving ? undefined : (await import('./command-writer.ts')).CommandWriter
    return new SqliteStore(path, options, commands)
  }

  private constructor(
    path: string,
    { serving, alone = false, report = () => {} }: SqliteOptions,
    commands: typeof CommandWriter | undefined,
  ) {
    assertOwnLog(path)
    this.#database = new Database(path, { ...(serving ? READING : COMMANDING), report })
    try {
      if (serving) this.#noteIdentity(path)
      const taken = serving
        ? `Another \`pets serve\` is running on ${path}; stop it first, or name another file with --database.`
        : `\`pets serve\` is running on ${path}; stop it first and try again.`
      this.#release = serving || alone ? claim(path, 'serving', taken) : undefined
    } catch (error) {
      this.#database.close()
      if (!isOfSqlite(error)) throw error
      throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
    }
    const forget = () => {
      this.pets.forget()
      this.keys.forget()
    }
    const writer = commands === undefined ? this.#toThread(path, report) : new commands(this.#database, forget)
    this.#writer = writer
    this.pets = new SqlitePets(this.#database, this.#writer)
    this.keys = new SqliteKeys(this.#database, this.#writer)
    this.records = new SqliteRecords(this.#database, this.#writer)
    this.imports = new SqliteImports(this.#database, this.#writer)
    this.samples = new SqliteSamples(this.#database, this.#writer)
    this.people = new SqlitePeople(this.#database, this.#writer)
    this.#usage = new SqliteUsage(this.#database, this.#writer)
    this.archive = new SqliteArchive({
      database: this.#database,
      writer: this.#writer,
      keys: this.keys,
      usage: this.#usage,
    })
    this.#database.onChange(forget, () => {
      if (writer instanceof WriterThread) writer.readAnswers()
    })
  }

  /** What a crash of this service leaves behind can then be told from the log of another file. */
  #noteIdentity(path: string): void {
    this.#database.connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    noteIdentity(path)
  }

  #toThread(path: string, report: (trouble: string) => void): WriterThread {
    return new WriterThread({
      path,
      report,
      onAnswer: this.#database.endTurn,
      onCreated: (from, to, created) => {
        const apply = () => {
          for (const { pet, text } of created) this.pets.noteCreated(text, pet.status)
        }
        this.#database.noteOwn({ from, to, apply })
      },
    })
  }

  get commits() {
    return this.#writer.commits
  }

  ping(): void {
    this.#database.look()
  }

  counters(clock: Clock): MemoryCounters {
    return new MemoryCounters(clock, this.#usage)
  }

  async close(): Promise<void> {
    await this.records.close()
    await this.#writer.close()
    this.#database.close()
    this.#release?.()
  }
}
