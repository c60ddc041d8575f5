/** The scaled-out store: one PostgreSQL database that any number of equal nodes share. */
import type { Clock } from '../../common/clock.ts'
import type { Store, StoreEvents } from '../store.ts'
import { PostgresArchive } from './archive.ts'
import { PostgresCounters } from './counters.ts'
import { Database } from './database.ts'
import { PostgresKeys } from './keys.ts'
import { PostgresPets } from './pets.ts'

export class PostgresStore implements Store {
  readonly pets: PostgresPets
  readonly keys: PostgresKeys
  readonly archive: PostgresArchive
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
    this.pets = new PostgresPets(database)
    this.keys = new PostgresKeys(database)
    this.archive = new PostgresArchive(database)
  }

  /** A service waits a while for a database that is just starting; a command says at once that it is not there. Throws StoreUnusable. */
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

  /** Nodes share them, so their clock is the database's. */
  counters(_clock: Clock): PostgresCounters {
    return new PostgresCounters(this.#database)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}
