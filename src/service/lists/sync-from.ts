/**
 * Takes the lists that are put into the folder of `serve --sync-from`, each in a process of its own; of several nodes
 * with one folder, one at a time.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../common/clock.ts'
import type { PetSync } from '../../store/sync.ts'
import { requestSync } from './request.ts'
import { LOOK_EVERY_MS, WatchedFolder } from './watched-folder.ts'

interface ListsOptions {
  readonly folder: string
  readonly database: string
  readonly bodyLimit: number
  readonly sync: PetSync
  readonly log: Logger
  readonly clock: Clock
}

export class ListsTaken {
  done = 0
  refused = 0
  readonly #log: Logger
  readonly #clock: Clock
  readonly #folder: WatchedFolder
  readonly #abort = new AbortController()
  readonly #timer
  #looking: Promise<void> | undefined
  #failure: string | undefined

  /** Throws an ExplainedError if the folder cannot be used. */
  constructor({ folder, database, bodyLimit: rowLimit, sync, log, clock }: ListsOptions) {
    const { signal } = this.#abort
    this.#log = log
    this.#clock = clock
    this.#folder = new WatchedFolder(folder, {
      now: () => clock.now(),
      sync: (list, noteProblem) => requestSync(list, { database, rowLimit, signal, noteProblem }),
      tell: (list, became, why) => this.#tell(list, became, why.trim()),
      alone: (work) => sync.alone(work),
    })
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#begin()).unref()
  }

  /** A list that is being taken is given up: all of it is done, or nothing. */
  async close(): Promise<void> {
    this.#clock.cancel(this.#timer)
    this.#abort.abort()
    await this.#looking
  }

  #begin(): void {
    if (this.#looking !== undefined) return
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  async #look(): Promise<void> {
    try {
      await this.#folder.look()
      this.#failure = undefined
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      if (this.#abort.signal.aborted || failure === this.#failure) return
      this.#failure = failure
      this.#log.error({ err: error }, 'the folder of --sync-from could not be looked at; the service tries again')
    }
  }

  #tell(list: string, became: 'done' | 'refused' | 'put off', why: string): void {
    if (became === 'done') {
      this.done += 1
      this.#log.info({ list }, `a list was synced: ${why}`)
    } else if (became === 'refused') {
      this.refused += 1
      this.#log.warn({ list }, `a list was refused and is in failed/: ${why}`)
    } else if (!this.#abort.signal.aborted) this.#log.warn({ list }, `a list is tried again: ${why}`)
  }
}
