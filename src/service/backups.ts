/** Scheduled backups. Files with other names or with dates in the future are never removed. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import { isNoWayIn, whyUnwritable } from '../common/paths.ts'
import { accessOf, createFile, createFolder } from '../common/private-files.ts'
import { backUp } from '../store/open.ts'
import { StoreUnusable } from '../store/store.ts'
import { BackupFolder } from './backup-folder.ts'
import { OwnWork } from './service-log.ts'

export interface BackupPlan {
  readonly folder: string
  readonly everyMs: number
  readonly keep: number
}

interface ScheduleOptions extends BackupPlan {
  readonly clock: Clock
  readonly log: Logger
  /** Ends the schedule, and a backup in progress. */
  readonly signal: AbortSignal
}

/** A change of the clock, or sleep of the machine, is noticed within this time. */
const LOOK_EVERY_MS = 60_000

/** Finds a mistyped or inaccessible folder. Backups report temporary problems themselves. Throws StoreUnusable. */
function tryFolder(folder: string): void {
  try {
    createFolder(folder)
    const file = join(folder, `.${randomBytes(8).toString('hex')}.partial`)
    createFile(file, accessOf(file))
    rmSync(file, { force: true })
  } catch (error) {
    if (!isNoWayIn(error)) return
    throw new StoreUnusable(
      `Backups cannot be written to ${folder} given as --backup-dir: ${whyUnwritable(error, folder)}.`,
    )
  }
}

export class ScheduledBackups extends OwnWork {
  /** Why more backups are kept than configured. */
  doubt: string | undefined
  readonly everyMs: number
  readonly #database: string
  readonly #options: ScheduleOptions
  readonly #folder: BackupFolder
  #successMs: number | undefined
  #triedMs: number | undefined
  #timer: Timer | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(database: string, options: ScheduleOptions) {
    super(options.log, 'no backup was made', 'a backup succeeds')
    this.#database = database
    this.#options = options
    this.everyMs = options.everyMs
    this.#folder = new BackupFolder(database, options.folder)
    this.#successMs = this.#folder.newestMs(options.clock.now())
    this.#triedMs = this.#successMs
  }

  /** Unix ms, never later than now. */
  get lastSuccessMs(): number | undefined {
    return this.#successMs && Math.min(this.#successMs, this.#options.clock.now())
  }

  get copiedMs(): number | undefined {
    return this.#folder.copiedMs
  }

  /** Reports problems of the folder and the database immediately. */
  start(): void {
    try {
      tryFolder(this.#options.folder)
    } catch (error) {
      this.fail(error)
    }
    // An unreadable database has its own finding.
    this.#running = this.#look().catch(() => {})
    this.#wait()
  }

  #wait(): void {
    const waitMs = Math.max(0, Math.min(LOOK_EVERY_MS, this.#dueInMs()))
    this.#timer = this.#options.clock
      .after(waitMs, () => {
        if (this.#dueInMs() <= 0) this.#running = this.#make()
        void this.#running.then(() => this.#options.signal.aborted || this.#wait())
      })
      .unref()
  }

  #dueInMs(): number {
    const nowMs = this.#options.clock.now()
    const triedMs = this.#triedMs ?? -Infinity
    return triedMs > nowMs ? 0 : triedMs + this.everyMs - nowMs
  }

  /** Call it after aborting `signal`. */
  async close(): Promise<void> {
    this.#options.clock.cancel(this.#timer)
    await this.#running
  }

  async #make(): Promise<void> {
    const { folder, clock, signal } = this.#options
    const nowMs = clock.now()
    this.#triedMs = nowMs
    try {
      tryFolder(folder)
      for (const name of this.#folder.partial()) rmSync(join(folder, name), { force: true })
      const file = this.#folder.freeFile(nowMs)
      const { animals } = await backUp(this.#database, file, { clock, signal })
      this.#successMs = nowMs
      this.log.info({ file, animals }, 'backup made and checked')
      const failures = this.succeed()
      if (failures > 0) this.log.info({ failures }, 'backups succeed again')
      await this.#removeSpent()
    } catch (error) {
      if (!signal.aborted) this.fail(error)
    }
  }

  /** Keeps the last backups with animals while the database is empty: its disk might not be mounted. */
  async #removeSpent(): Promise<void> {
    const { keep } = this.#options
    const { own, treasured } = await this.#look()
    const kept = new Set([...own.slice(-keep), ...treasured.slice(-keep)])
    for (const name of own) if (!kept.has(name)) rmSync(join(this.#folder.path, name), { force: true })
  }

  async #look() {
    const look = await this.#folder.look(this.#options.clock.now())
    if (look.doubt !== undefined && this.doubt === undefined) this.log.error(look.doubt)
    this.doubt = look.doubt
    return look
  }
}
