/** The scaled-out store: one PostgreSQL database shared by any number of equal nodes. */
import type { Clock } from '../../common/clock.ts'
import { type OperatorSide, operatorSide } from '../operator-side.ts'
import type { KeyStore, Store, StoreEvents } from '../store.ts'
import type { ServiceNote } from '../upkeep.ts'
import { ChangeMark } from './connection/change-mark.ts'
import { Database } from './connection/database.ts'
import { PostgresCounters } from './counters.ts'
import { KeyLookup } from './key-lookup.ts'
import { announceNode, assertNoNode } from './nodes.ts'
import { onPostgres } from './operator-database.ts'
import { PostgresPets } from './pets.ts'
import { storedUsages } from './usages.ts'

/** Each node adds its own sums of the ledger every few seconds and at its end. */
const LEDGER_SAVED_AFTER_MS = 5_000

interface PostgresOptions {
  readonly serving: boolean
  /** No node may serve the database. */
  readonly alone?: boolean
  readonly clock: Clock
  readonly events?: StoreEvents | undefined
  readonly onUpgrade?: ((sentence: string) => void) | undefined
}

export class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly pets: PostgresPets
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
  readonly #database: Database
  readonly #archive: OperatorSide['archive']
  readonly #mark: ChangeMark
  #unannounce: () => Promise<void> = async () => {}

  private constructor(database: Database) {
    this.#database = database
    this.#mark = new ChangeMark(database)
    this.pets = new PostgresPets(database)
    const lookup = new KeyLookup(database)
    const { keys, archive, records, imports, sync, origins, reports, people, ledger, categories, words } = operatorSide(
      onPostgres(database),
      { ledgerSavedAfterMs: LEDGER_SAVED_AFTER_MS, usages: storedUsages(database), onKeyChange: lookup.forget },
    )
    this.keys = Object.assign(keys, { find: (hash: string) => lookup.find(hash) })
    this.#archive = archive
    this.records = records
    this.imports = imports
    this.sync = sync
    this.origins = origins
    this.reports = reports
    this.people = people
    this.ledger = ledger
    this.categories = categories
    this.words = words
  }

  /**
   * A service waits for a database that is still starting; a command reports at once that it is not there. Throws
   * StoreUnusable.
   */
  static async open(url: string, options: PostgresOptions): Promise<PostgresStore> {
    const { serving, alone = false, clock, events, onUpgrade } = options
    const database = await Database.open(url, { patient: serving, clock, events, onUpgrade })
    try {
      if (alone) await assertNoNode(database)
      return new PostgresStore(database)
    } catch (error) {
      await database.close()
      throw error
    }
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

  async archive() {
    return this.#archive
  }

  announce(note: ServiceNote): void {
    this.#unannounce = announceNode(this.#database, note)
  }

  /** Nodes share them, so they use the clock of the database. */
  counters(): PostgresCounters {
    return new PostgresCounters(this.#database)
  }

  async close(): Promise<void> {
    await this.#unannounce()
    await this.#database.close()
  }
}
