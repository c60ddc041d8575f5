/**
 * Logs the service's own backups: each that is made, and a failure once for as long as it goes on. What is wrong with
 * the system or the database is a sentence; any other failure is a bug, and its stack is logged.
 */

import type { Logger } from 'pino'
import { isOfSystem } from '../common/errors.ts'
import { StoreUnusable } from '../store/store.ts'

/** The part of a backup's name that differs at each try: the time, and random characters. */
const CHANGING = /\d{4}-\d\d-\d\dT\d{6}Z|\.[0-9a-f]{16}(?=\.partial)/g

export class BackupLog {
  readonly #log: Logger
  #failure: string | undefined
  #failures = 0

  constructor(log: Logger) {
    this.#log = log
  }

  made(file: string, animals: number): void {
    this.#log.info({ file, animals }, 'backup made and checked')
    if (this.#failures > 0) this.#log.info({ failures: this.#failures }, 'backups are made again')
    this.#failure = undefined
    this.#failures = 0
  }

  failed(error: unknown): void {
    this.#failures += 1
    const message = error instanceof Error ? error.message : String(error)
    const failure = message.replace(CHANGING, '')
    if (failure === this.#failure) return
    this.#failure = failure
    if (error instanceof StoreUnusable || isOfSystem(error)) {
      this.#log.error(`no backup was made: ${message.replace(/\.$/, '')}; it is told when one is made again`)
    } else this.#log.error({ err: error }, 'no backup was made')
  }
}
