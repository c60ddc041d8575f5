/** The scaled-out store: one PostgreSQL database shared by any number of equal nodes. */
import type { Clock } from '../../common/clock.ts'
import type { Archive, Store, StoreEvents } from '../store.ts'
import { ChangeMark } from './connection/change-mark.ts'
import { Database } from './connection/database.ts'
import { PostgresCounters } from './counters.ts'
import { PostgresImports } from './imports.ts'
import { PostgresKeys } from './keys.ts'
import { PostgresLedger } from './ledger.ts'
import { PostgresMaps } from './maps.ts'
import { PostgresCategories } from './naming/categories.ts'
import { PostgresWords } from './naming/words.ts'
import { PostgresOrigins } from './origins.ts'
import { PostgresPeople } from './people.ts'
import { PostgresPets } from './pets.ts'
import { PostgresRecords } from './records.ts'
import { PostgresReports } from './report.ts'
import { PostgresSync } from './sync.ts'

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
  readonly sync: PostgresSync
  readonly origins: PostgresOrigins
  readonly reports: PostgresReports
  readonly people: PostgresPeople
  readonly ledger: PostgresLedger
  readonly maps: PostgresMaps
  readonly categories: PostgresCategories
  readonly words: PostgresWords
  readonly #database: Database
  readonly #mark: ChangeMark

  private constructor(database: Database) {
    this.#database = database
    this.#mark = new ChangeMark(database)
    this.pets = new PostgresPets(database)
    this.keys = new PostgresKeys(database)
    this.records = new PostgresRecords(database)
    this.imports = new PostgresImports(database)
    this.sync = new PostgresSync(database)
    this.origins = new PostgresOrigins(database)
    this.reports = new PostgresReports(database)
    this.people = new PostgresPeople(database)
    this.ledger = new PostgresLedger(database)
    this.maps = new PostgresMaps(database)
    this.categories = new PostgresCategories(database)
    this.words = new PostgresWords(database)
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

  /** A server and a database in it. */
  async identity(): Promise<string> {
    const [[identity] = []] = await this.#database.query(
      "SELECT system_identifier || ' ' || oid FROM pg_control_system(), pg_database WHERE datname = current_database()",
    )
    return identity ?? ''
  }

  changeMark(): Promise<string> {
    return this.#mark.read()
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
