/** The backup folder of a SQLite database. Files dated in the future are ignored: the clock might have been wrong. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { statsOf } from '../common/paths.ts'
import { PARTIAL, type SeenBackup } from '../store/maintenance.ts'
import { animalsIn, databaseFile, lookAtBackup } from '../store/open.ts'

interface Look {
  /** Names of the service's backups of this database, oldest first. */
  readonly own: readonly string[]
  /** Backups to keep, because they contain animals and the database contains none. */
  readonly treasured: readonly string[]
  /** Why this might be the wrong database. */
  readonly doubt: string | undefined
}

export class BackupFolder {
  readonly path: string
  readonly #database: string
  readonly #stem: string
  /** By name. A backup does not change. */
  readonly #seen = new Map<string, SeenBackup>()

  constructor(database: string, path: string) {
    const file = databaseFile(database) ?? ''
    this.path = path
    this.#database = database
    this.#stem = `${basename(file, extname(file))}-`
  }

  newestMs(nowMs: number): number | undefined {
    return this.#scheduled(nowMs).at(-1)?.atMs
  }

  /** When the backups were last copied elsewhere, by the time of the file `copied`. */
  get copiedMs(): number | undefined {
    return statsOf(join(this.path, 'copied'))?.mtimeMs
  }

  /** After the clock was set back, the name might exist already. */
  freeFile(atMs: number): string {
    const file = join(this.path, `${this.#stem}${new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '')}Z.db`)
    return existsSync(file) ? this.freeFile(atMs + 1_000) : file
  }

  /** Unfinished files of a service that was killed. */
  partial(): readonly string[] {
    return this.#names().filter((name) => PARTIAL.test(name) && this.#timeOf(name.replace(PARTIAL, '')) !== undefined)
  }

  /** Compares the backups with the database. Throws StoreUnusable. */
  async look(nowMs: number): Promise<Look> {
    const scheduled = this.#scheduled(nowMs).map(({ name }) => name)
    const others = this.#names().filter((name) => name.endsWith('.db') && !scheduled.includes(name))
    const animals = await animalsIn(this.#database)
    for (const name of this.#seen.keys()) if (!scheduled.includes(name)) this.#seen.delete(name)
    await this.#open(scheduled)
    const own = scheduled.filter((name) => this.#seen.get(name)?.isOwn)
    const full = (names: readonly string[]) => names.filter((name) => (this.#seen.get(name)?.animals ?? 0) > 0)
    if (animals === 0) {
      if (full(scheduled).length === 0) await this.#open(others)
      const last = full(scheduled).at(-1) ?? full(others).at(-1)
      const doubt =
        last &&
        `the database contains no animals, but ${this.#described(last)}. Check that the setting \`database\` names the right file and that its disk is mounted. Backups with animals are kept`
      return { own, treasured: full(own), doubt }
    }
    const foreign = full(scheduled).findLast((name) => !own.includes(name))
    const doubt =
      foreign &&
      `the backup folder contains backups of another database: ${this.#described(foreign)}. Check that this is the right database, or move them`
    return { own, treasured: [], doubt }
  }

  async #open(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#seen.has(name)) continue
      this.#seen.set(name, await lookAtBackup(join(this.path, name), databaseFile(this.#database) ?? ''))
      await new Promise(setImmediate)
    }
  }

  #described(name: string): string {
    const { animals = 0 } = this.#seen.get(name) ?? {}
    return `${join(this.path, name)} contains ${animals} ${animals === 1 ? 'animal' : 'animals'}`
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.path)
    } catch {
      return [] // The folder does not exist yet, or the next backup reports what is wrong with it.
    }
  }

  #scheduled(nowMs: number) {
    return this.#names()
      .map((name) => ({ name, atMs: this.#timeOf(name) ?? Infinity }))
      .filter(({ atMs }) => atMs <= nowMs)
      .toSorted((a, b) => a.atMs - b.atMs)
  }

  /** Undefined if the service did not make this file. */
  #timeOf(name: string): number | undefined {
    if (!name.startsWith(this.#stem)) return undefined
    const [, day, hour, minute, second] =
      /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(this.#stem.length)) ?? []
    const atMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(atMs) ? undefined : atMs
  }
}
