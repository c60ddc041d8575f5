/**
 * Backups that the service makes by itself: one each time the newest in the folder is old enough, so a restart neither
 * adds one nor puts one off. Of those it made it keeps the newest (retention.ts); files with other names in the folder
 * are nobody's business. The clock may be wrong for a while: what is dated later than now counts for nothing, and is not removed.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Timer } from '../../../common/clock.ts'
import { whyUnreachable } from '../../../common/paths.ts'
import { accessOf, createFile, createFolder } from '../../../common/private-files.ts'
import type { BackupPlan, ScheduleOptions } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { isNoWayIn } from '../file/errors.ts'
import { backUp } from './backup.ts'
import { Retention } from './retention.ts'
import { PARTIAL } from './snapshot.ts'

/** A clock that is set, or a machine that slept, is noticed within this time. */
const LOOK_EVERY_MS = 60_000

/**
 * Makes the folder and a file in it, which is removed: a mistyped folder, or one of somebody else, is found at once. What
 * may pass, such as a full disk, is told when a backup fails. Throws StoreUnusable.
 */
function tryFolder({ folder, fileGroup }: Pick<BackupPlan, 'folder' | 'fileGroup'>): void {
  try {
    createFolder(folder, fileGroup)
    const file = join(folder, `.${randomBytes(8).toString('hex')}.partial`)
    createFile(file, accessOf(file))
    rmSync(file, { force: true })
  } catch (error) {
    if (!isNoWayIn(error)) return
    throw new StoreUnusable(
      `Backups cannot be written to the folder ${folder} given as --backup-dir (${whyUnreachable(error, folder) ?? error.message}); name another, or let this user write there.`,
    )
  }
}

export class ScheduledBackups {
  failures = 0
  /** Why the last one failed; undefined if it did not. */
  failure: string | undefined
  /** Why backups are kept that would be removed; undefined if none are. */
  doubt: string | undefined
  readonly everyMs: number
  readonly #path: string
  readonly #options: ScheduleOptions
  readonly #abort = new AbortController()
  readonly #stem: string
  readonly #retention: Retention
  #successMs: number | undefined
  /** The last attempt, whether it succeeded or not. */
  #triedMs: number | undefined
  #timer: Timer | undefined
  #running: Promise<void> = Promise.resolve()

  /** `path`: the database. */
  constructor(path: string, options: ScheduleOptions) {
    this.#path = path
    this.#options = options
    this.everyMs = options.everyMs
    this.#stem = stemOf(path)
    this.#retention = new Retention(options.folder, options.keep)
    this.#successMs = backupsIn(options.folder, this.#stem, options.clock.now()).at(-1)?.atMs
    this.#triedMs = this.#successMs
  }

  /** Unix ms, never later than now; undefined when there is none. */
  get lastSuccessMs(): number | undefined {
    return this.#successMs && Math.min(this.#successMs, this.#options.clock.now())
  }

  get copiedMs(): number | undefined {
    return copiedAtMs(this.#options.folder)
  }

  /** What is wrong with the folder is told at once, and again when a backup is due. */
  start(): void {
    try {
      tryFolder(this.#options)
    } catch (error) {
      this.#fail(error)
    }
    this.#wait()
  }

  #wait(): void {
    const waitMs = Math.max(0, Math.min(LOOK_EVERY_MS, this.#dueInMs()))
    this.#timer = this.#options.clock
      .after(waitMs, () => {
        if (this.#dueInMs() <= 0) this.#running = this.#make()
        void this.#running.then(() => this.#abort.signal.aborted || this.#wait())
      })
      .unref()
  }

  #dueInMs(): number {
    const nowMs = this.#options.clock.now()
    const triedMs = this.#triedMs ?? -Infinity
    return triedMs > nowMs ? 0 : triedMs + this.everyMs - nowMs
  }

  /** One that is being made is given up. */
  async close(): Promise<void> {
    this.#options.clock.cancel(this.#timer)
    this.#abort.abort()
    await this.#running
  }

  async #make(): Promise<void> {
    const { folder, clock, onMade, onDoubt } = this.#options
    const nowMs = clock.now()
    this.#triedMs = nowMs
    try {
      tryFolder(this.#options)
      for (const name of readdirSync(folder)) {
        // What a service that was killed has left.
        if (PARTIAL.test(name) && timeOf(name.replace(PARTIAL, ''), this.#stem) !== undefined) {
          rmSync(join(folder, name), { force: true })
        }
      }
      const file = this.#freeName(nowMs)
      const { animals } = await backUp(this.#path, file, { clock, signal: this.#abort.signal })
      this.#successMs = nowMs
      this.failure = undefined
      onMade(file, animals)
      const names = backupsIn(folder, this.#stem, clock.now()).map(({ name }) => name)
      const { spent, doubt } = await this.#retention.judge(names)
      if (doubt !== undefined && this.doubt === undefined) onDoubt(doubt)
      this.doubt = doubt
      for (const name of spent) rmSync(join(folder, name), { force: true })
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.failures += 1
    this.failure = error instanceof Error ? error.message : String(error)
    this.#options.onFailed(error)
  }

  /** A clock that was set back may come to the second of another backup once more. */
  #freeName(atMs: number): string {
    const name = `${this.#stem}${new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '')}Z.db`
    const file = join(this.#options.folder, name)
    return existsSync(file) ? this.#freeName(atMs + 1_000) : file
  }
}

/** When whoever copies the folder elsewhere last said so, by the time of its file `copied`; undefined without one. */
export function copiedAtMs(folder: string): number | undefined {
  return statSync(join(folder, 'copied'), { throwIfNoEntry: false })?.mtimeMs
}

interface MadeBackup {
  readonly name: string
  readonly atMs: number
}

/** What the names of the backups of the database at `path` begin with. */
export function stemOf(path: string): string {
  return `${basename(path, extname(path))}-`
}

/** Oldest first, without those that are dated later than now. */
export function backupsIn(folder: string, stem: string, nowMs: number): readonly MadeBackup[] {
  try {
    return readdirSync(folder)
      .map((name) => ({ name, atMs: timeOf(name, stem) }))
      .filter((one): one is MadeBackup => one.atMs !== undefined && one.atMs <= nowMs)
      .toSorted((a, b) => a.atMs - b.atMs)
  } catch {
    return [] // there is no folder yet, or what is wrong with it is told when a backup is made
  }
}

/** When a backup of this name was made; undefined when the name is not one of ours. */
function timeOf(name: string, stem: string): number | undefined {
  if (!name.startsWith(stem)) return undefined
  const [, day, hour, minute, second] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(stem.length)) ?? []
  const atMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(atMs) ? undefined : atMs
}
