/** The embedded store: one SQLite file, animals, keys and counters in it. */

import type { Clock } from '../../common/clock.ts'
import { MemoryCounters } from '../memory-counters.ts'
import type { Archive, Store } from '../store.ts'
import { SqliteArchive } from './archive.ts'
import { claimService, Database } from './database.ts'
import { SqliteKeys } from './keys.ts'
import { SqlitePets } from './pets.ts'
import { SqliteRecords } from './records.ts'
import { SqliteUsage } from './usage.ts'

/** How long a command waits for another process's write. The service does not block: it tries again between requests. */
const COMMAND_PATIENCE_MS = 10_000

export class SqliteStore implements Store {
  readonly pets: SqlitePets
  readonly keys: SqliteKeys
  readonly records: SqliteRecords
  readonly archive: Archive
  readonly #database: Database
  readonly #release: (() => void) | undefined

  /** `serving`: this process answers requests from the file, as the only one that does. Throws StoreUnusable. */
  constructor(path: string, options: { serving: boolean }) {
    this.#database = new Database(path, { busyTimeoutMs: options.serving ? 0 : COMMAND_PATIENCE_MS })
    try {
      this.#release = options.serving ? claimService(path) : undefined
    } catch (error) {
      this.#database.close()
      throw error
    }
    this.pets = new SqlitePets(this.#database)
    this.keys = new SqliteKeys(this.#database)
    this.records = new SqliteRecords(this.#database, () => this.pets.forget())
    this.archive = new SqliteArchive(this.#database, this.keys)
    this.#database.onChangeElsewhere(() => {
      this.pets.forget()
      this.keys.forget()
    })
  }

  get commits() {
    return this.pets.commits
  }

  ping(): void {
    this.#database.look()
  }

  counters(clock: Clock): MemoryCounters {
    return new MemoryCounters(clock, new SqliteUsage(this.#database))
  }

  async close(): Promise<void> {
    this.#database.close()
    this.#release?.()
  }
}
