/**
 * Backups that the service makes by itself: one each time the newest in the folder is old enough, so a restart neither
 * adds one nor puts one off. Of those it made it keeps the newest. Files with other names are never removed, nor what is
 * dated later than now, since the clock may be wrong for a while.
 */
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
  /** How many to keep. */
  readonly keep: number
}

interface ScheduleOptions extends BackupPlan {
  readonly clock: Clock
  readonly log: Logger
  /** Gives up one that is being made, and ends the schedule. */
  readonly signal: AbortSignal
}

/** A clock that is set, or a machine that slept, is noticed within this time. */
const LOOK_EVERY_MS = 60_000

/**
 * Makes the folder and a file in it, which is removed: a mistyped folder, or one of somebody else, is found at once. What
 * may pass, such as a full disk, is told when a backup fails. Throws StoreUnusable.
 */
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
  /** Why backups are kept that would be removed; undefined if none are. */
  doubt: string | undefined
  readonly everyMs: number
  readonly #database: string
  readonly #options: ScheduleOptions
  readonly #folder: BackupFolder
  #successMs: number | undefined
  /** The last attempt, whether it succeeded or not. */
  #triedMs: number | undefined
  #timer: Timer | undefined
  #running: Promise<void> = Promise.resolve()

  /** `database`: the address of an embedded one. */
  constructor(database: string, options: ScheduleOptions) {
    super(options.log, 'no backup was made', 'one is made')
    this.#database = database
    this.#options = options
    this.everyMs = options.everyMs
    this.#folder = new BackupFolder(database, options.folder)
    this.#successMs = this.#folder.newestMs(options.clock.now())
    this.#triedMs = this.#successMs
  }

  /** Unix ms, never later than now; undefined when there is none. */
  get lastSuccessMs(): number | undefined {
    return this.#successMs && Math.min(this.#successMs, this.#options.clock.now())
  }

  get copiedMs(): number | undefined {
    return this.#folder.copiedMs
  }

  /** What is wrong with the folder, or with the database beside it, is reported immediately. */
  start(): void {
    try {
      tryFolder(this.#options.folder)
    } catch (error) {
      this.fail(error)
    }
    // A database that cannot be read is reported by its own finding.
    this.#running = this.#look().then(
      () => {},
      () => {},
    )
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

  /** To be called once `signal` is aborted. */
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
      if (failures > 0) this.log.info({ failures }, 'backups are made again')
      await this.#removeSpent()
    } catch (error) {
      if (!signal.aborted) this.fail(error)
    }
  }

  /**
   * Removes the backups beyond the newest, of this database alone, and never the last that contain animals while the
   * database contains none. A folder that is not mounted, or a name that is mistyped, gives a fresh database, whose
   * backups would otherwise replace all the good ones.
   */
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
