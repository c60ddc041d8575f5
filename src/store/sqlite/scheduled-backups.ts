/**
 * Backups that the service makes by itself: one each time the newest in the folder is old enough, so a restart neither adds
 * one nor puts one off. Of those it made it keeps the newest; files with other names in the folder are nobody's business.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Clock } from '../../common/clock.ts'
import { backUp } from './backup.ts'

/** A clock that is set, or a machine that slept, is noticed within this time. */
const LOOK_EVERY_MS = 60_000

export interface BackupPlan {
  readonly folder: string
  readonly everyMs: number
  /** How many to keep. */
  readonly keep: number
}

export interface BackupOptions extends BackupPlan {
  /** The database. */
  readonly path: string
  readonly clock: Clock
  readonly onMade: (file: string, animals: number) => void
  readonly onFailed: (error: unknown) => void
}

export class ScheduledBackups {
  failures = 0
  /** Unix ms; undefined when there is none. */
  lastSuccessMs: number | undefined
  readonly everyMs: number
  readonly #options: BackupOptions
  readonly #abort = new AbortController()
  readonly #stem: string
  #dueMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: BackupOptions) {
    this.#options = options
    this.everyMs = options.everyMs
    this.#stem = `${basename(options.path, extname(options.path))}-`
    this.lastSuccessMs = this.#made().at(-1)?.atMs
    this.#dueMs = (this.lastSuccessMs ?? -Infinity) + options.everyMs
  }

  start(): void {
    const waitMs = Math.max(0, Math.min(LOOK_EVERY_MS, this.#dueMs - this.#options.clock()))
    this.#timer = setTimeout(() => {
      if (this.#options.clock() >= this.#dueMs) this.#running = this.#make()
      void this.#running.then(() => this.#abort.signal.aborted || this.start())
    }, waitMs).unref()
  }

  /** One that is being made is given up. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#abort.abort()
    await this.#running
  }

  async #make(): Promise<void> {
    const { path, folder, everyMs, clock, onMade, onFailed } = this.#options
    const atMs = clock()
    this.#dueMs = atMs + everyMs
    try {
      mkdirSync(folder, { recursive: true })
      for (const name of readdirSync(folder)) {
        // What a service that was killed has left.
        if (name.endsWith('.partial') && this.#timeOf(name.slice(0, -'.partial'.length)) !== undefined) {
          rmSync(join(folder, name), { force: true })
        }
      }
      const file = join(folder, `${this.#stem}${new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '')}Z.db`)
      const { animals } = await backUp(path, file, { signal: this.#abort.signal })
      this.lastSuccessMs = atMs
      onMade(file, animals)
      for (const old of this.#made().slice(0, -this.#options.keep)) rmSync(join(folder, old.name), { force: true })
    } catch (error) {
      if (this.#abort.signal.aborted) return
      this.failures += 1
      onFailed(error)
    }
  }

  /** Oldest first. */
  #made(): readonly { readonly name: string; readonly atMs: number }[] {
    try {
      return readdirSync(this.#options.folder)
        .map((name) => ({ name, atMs: this.#timeOf(name) }))
        .filter((one): one is { name: string; atMs: number } => one.atMs !== undefined)
        .toSorted((a, b) => a.atMs - b.atMs)
    } catch {
      return [] // there is no folder yet, or what is wrong with it is told when a backup is made
    }
  }

  /** When a backup of this name was made; undefined when the name is not one of ours. */
  #timeOf(name: string): number | undefined {
    if (!name.startsWith(this.#stem)) return undefined
    const [, day, hour, minute, second] =
      /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(this.#stem.length)) ?? []
    const atMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(atMs) ? undefined : atMs
  }
}
