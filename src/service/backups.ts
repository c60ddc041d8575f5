/**
 * Backups that the service makes by itself: one each time the newest in the folder is old enough, so a restart neither
 * adds one nor puts one off. Of those it made it keeps the newest; files with other names in the folder are nobody's
 * business. The clock may be wrong for a while: what is dated later than now counts for nothing, and is not removed.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import { isNoWayIn, statsOf, whyUnreachable } from '../common/paths.ts'
import { accessOf, createFile, createFolder } from '../common/private-files.ts'
import { PARTIAL, type SeenBackup } from '../store/maintenance.ts'
import { backUp, databaseFile, lookAtBackup } from '../store/open.ts'
import { StoreUnusable } from '../store/store.ts'
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
      `Backups cannot be written to the folder ${folder} given as --backup-dir (${whyUnreachable(error, folder) ?? error.message}); name another, or let this user write there.`,
    )
  }
}

export class ScheduledBackups extends OwnWork {
  /** Why backups are kept that would be removed; undefined if none are. */
  doubt: string | undefined
  readonly everyMs: number
  readonly #database: string
  readonly #options: ScheduleOptions
  readonly #stem: string
  /** What the backups hold, by name; one does not change. */
  readonly #seen = new Map<string, SeenBackup>()
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
    this.#stem = stemOf(database)
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
      tryFolder(this.#options.folder)
    } catch (error) {
      this.fail(error)
    }
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
      for (const name of readdirSync(folder)) {
        // What a service that was killed has left.
        if (PARTIAL.test(name) && timeOf(name.replace(PARTIAL, ''), this.#stem) !== undefined) {
          rmSync(join(folder, name), { force: true })
        }
      }
      const file = this.#freeName(nowMs)
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
   * Removes the backups beyond the newest, of this database alone, and never the last that hold animals while the
   * database holds none. A folder that is not mounted, or a name that is mistyped, gives a fresh database, whose backups
   * would otherwise take the place of all the good ones.
   */
  async #removeSpent(): Promise<void> {
    const { folder, keep, clock } = this.#options
    const seen = this.#seen
    const names = backupsIn(folder, this.#stem, clock.now()).map(({ name }) => name)
    const newest = names.at(-1) ?? ''
    for (const name of seen.keys()) if (!names.includes(name)) seen.delete(name)
    for (const name of names) {
      if (seen.has(name)) continue
      seen.set(name, await lookAtBackup(join(folder, name), join(folder, newest)))
      await new Promise(setImmediate)
    }
    const animalsIn = (name: string) => seen.get(name)?.animals ?? 0
    const own = names.filter((name) => seen.get(name)?.isOwn)
    const full = own.filter((name) => animalsIn(name) > 0)
    const isEmptied = animalsIn(newest) === 0 && full.length > 0
    const last = full.at(-1) ?? ''
    const other = names.findLast((name) => !own.includes(name) && animalsIn(name) > 0)
    const doubt = isEmptied
      ? `the database holds no animals, and its backup ${join(folder, last)} holds ${animalsIn(last)}; it and those before are kept until they are removed by hand`
      : other &&
        `the folder of the backups has some of another database, such as ${join(folder, other)} with ${animalsIn(other)} animals; see whether this is the right database, or move them`
    if (doubt !== undefined && this.doubt === undefined) this.log.error(doubt)
    this.doubt = doubt
    const kept = new Set([...own.slice(-keep), ...(isEmptied ? full.slice(-keep) : [])])
    for (const name of own) if (!kept.has(name)) rmSync(join(folder, name), { force: true })
  }

  /** A clock that was set back may come to the second of another backup once more. */
  #freeName(atMs: number): string {
    const name = `${this.#stem}${new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '')}Z.db`
    const file = join(this.#options.folder, name)
    return existsSync(file) ? this.#freeName(atMs + 1_000) : file
  }
}

/** The newest of the backups that services have made of an embedded database in a folder. */
export function newestBackup(database: string, folder: string, nowMs: number) {
  const newest = backupsIn(folder, stemOf(database), nowMs).at(-1)
  return newest && { file: resolve(folder, newest.name), atMs: newest.atMs, copiedMs: copiedAtMs(folder) }
}

/** When whoever copies the folder elsewhere last said so, by the time of its file `copied`; undefined without one. */
function copiedAtMs(folder: string): number | undefined {
  return statsOf(join(folder, 'copied'))?.mtimeMs
}

/** What the names of the backups of an embedded database begin with. */
function stemOf(database: string): string {
  const path = databaseFile(database) ?? ''
  return `${basename(path, extname(path))}-`
}

/** Oldest first, without those that are dated later than now. */
function backupsIn(folder: string, stem: string, nowMs: number) {
  try {
    return readdirSync(folder)
      .map((name) => ({ name, atMs: timeOf(name, stem) ?? Infinity }))
      .filter(({ atMs }) => atMs <= nowMs)
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
