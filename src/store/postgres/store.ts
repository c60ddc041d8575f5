/** The scaled-out store: one PostgreSQL database shared by any number of equal nodes. */
import type { Clock } from '../../common/clock.ts'
import type { Archive, Store, StoreEvents } from '../store.ts'
import { Database } from './connection/database.ts'
import { PostgresCounters } from './counters.ts'
import { PostgresImports } from './imports.ts'
import { PostgresKeys } from './keys.ts'
import { PostgresPeople } from './people.ts'
import { PostgresPets } from './pets.ts'
import { PostgresRecords } from './records.ts'

interface PostgresOptions {
  readonly serving: boolean
  readonly clock: Clock
  readonly events?: StoreEvents | undefined
  readonly onUpgrade?: ((sentence: string) => void) | undefined
}

export class PostgresStore implements Store {
  readonly pets: PostgresPets
  readonly keys: PostgresKeys
  readonly records: PostgresRecords
  readonly imports: PostgresImports
  readonly people: PostgresPeople
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
    this.pets = new PostgresPets(database)
    this.keys = new PostgresKeys(database)
    this.records = new PostgresRecords(database)
    this.imports = new PostgresImports(database)
    this.people = new PostgresPeople(database)
  }

  /**
   * A service waits for a database that is still starting; a command reports at once that it is not there. Throws
   * StoreUnusable.
   */
  static async open(url: string, { serving, clock, events, onUpgrade }: PostgresOptions): Promise<PostgresStore> {
    return new PostgresStore(await Database.open(url, { patient: serving, clock, events, onUpgrade }))
  }

  get commits() {
    return this.pets.commits
  }

  ping(): Promise<void> {
    return this.#database.ping()
  }

  async archive(): Promise<Archive> {
    return new (await import('./archive.ts')).PostgresArchive(this.#database)
  }

  announce(): void {}

  /** Nodes share them, so they use the clock of the database. */
  counters(_clock: Clock): PostgresCounters {
    return new PostgresCounters(this.#database)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
