/** The scaled-out store: one PostgreSQL database shared by any number of equal nodes. */
import type { Clock } from '../../common/clock.ts'
import type { Store, StoreEvents } from '../store.ts'
import { PostgresArchive } from './archive.ts'
import { PostgresCounters } from './counters.ts'
import { Database } from './database.ts'
import { PostgresImports } from './imports.ts'
import { PostgresKeys } from './keys.ts'
import { PostgresPeople } from './people.ts'
import { PostgresPets } from './pets.ts'
import { PostgresRecords } from './records.ts'
import { PostgresSamples } from './samples.ts'

export class PostgresStore implements Store {
  readonly pets: PostgresPets
  readonly keys: PostgresKeys
  readonly records: PostgresRecords
  readonly imports: PostgresImports
  readonly samples: PostgresSamples
  readonly people: PostgresPeople
  readonly archive: PostgresArchive
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
    this.pets = new PostgresPets(database)
    this.keys = new PostgresKeys(database)
    this.records = new PostgresRecords(database)
    this.imports = new PostgresImports(database)
    this.samples = new PostgresSamples(database)
    this.people = new PostgresPeople(database)
    this.archive = new PostgresArchive(database)
  }

  /**
   * A service waits for a database that is still starting; a command reports at once that it is not there. Throws
   * StoreUnusable.
   */
  static async open(
    url: string,
    { serving, events }: { readonly serving: boolean; readonly events?: StoreEvents | undefined },
  ): Promise<PostgresStore> {
    return new PostgresStore(await Database.open(url, { patient: serving, events }))
  }

  get commits() {
    return this.pets.commits
  }

  ping(): Promise<void> {
    return this.#database.ping()
  }

  /** Nodes share them, so they use the clock of the database. */
  counters(_clock: Clock): PostgresCounters {
    return new PostgresCounters(this.#database)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
