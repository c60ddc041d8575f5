/**
 * Which of the backups in a folder a schedule may remove: those beyond the newest, of this database alone, and never the
 * last that hold animals while the database holds none. A folder that is not mounted, or a name that is mistyped, gives
 * a fresh database, whose backups would otherwise take the place of all the good ones.
 */
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../../store.ts'
import { isSqliteError } from '../file/errors.ts'
import { openReadOnly } from '../file/read-only.ts'

/** What a backup holds; `isOwn` is whether it is of the database whose newest backup it was compared with. */
interface Seen {
  readonly isOwn: boolean
  readonly animals: number
}

interface Verdict {
  /** Names of files to be removed. */
  readonly spent: readonly string[]
  /** What a person should look at: why backups are kept that the schedule would remove. */
  readonly doubt: string | undefined
}

export class Retention {
  readonly #folder: string
  readonly #keep: number
  /** By name; a backup does not change. */
  readonly #seen = new Map<string, Seen>()

  constructor(folder: string, keep: number) {
    this.#folder = folder
    this.#keep = keep
  }

  /** `names`: oldest first; the last has just been made of the database. */
  async judge(names: readonly string[]): Promise<Verdict> {
    const newest = names.at(-1) ?? ''
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name)
    for (const name of names) {
      if (this.#seen.has(name)) continue
      this.#seen.set(name, this.#look(name, newest))
      await new Promise(setImmediate)
    }
    const animalsIn = (name: string) => this.#seen.get(name)?.animals ?? 0
    const own = names.filter((name) => this.#seen.get(name)?.isOwn)
    const full = own.filter((name) => animalsIn(name) > 0)
    const isEmptied = animalsIn(newest) === 0 && full.length > 0
    const kept = new Set([...own.slice(-this.#keep), ...(isEmptied ? full.slice(-this.#keep) : [])])
    const spent = own.filter((name) => !kept.has(name))
    const other = names.findLast((name) => !own.includes(name) && animalsIn(name) > 0)
    const last = full.at(-1) ?? ''
    const doubt = isEmptied
      ? `the database holds no animals, and its backup ${join(this.#folder, last)} holds ${animalsIn(last)}; it and those before are kept until they are removed by hand`
      : other &&
        `the folder of the backups has some of another database, such as ${join(this.#folder, other)} with ${animalsIn(other)} animals; see whether this is the right database, or move them`
    return { spent, doubt }
  }

  /** What is no backup, or of a newer version, is nobody's. */
  #look(name: string, newest: string): Seen {
    try {
      const db = openReadOnly(join(this.#folder, name), 'alone')
      try {
        db.prepare('ATTACH ? AS newest').run(join(this.#folder, newest))
        const animals = Number(db.prepare('SELECT sum(n) AS n FROM pet_counts').get()?.n)
        return { isOwn: isSameRegister(db), animals }
      } finally {
        db.close()
      }
    } catch (error) {
      if (!isSqliteError(error) && !(error instanceof StoreUnusable)) throw error
      return { isOwn: false, animals: 0 }
    }
  }
}

/** Backups of versions before 2.1.0 name no register: one of the same database has a key in common. */
function isSameRegister(db: DatabaseSync): boolean {
  const isNamed = "SELECT 1 FROM sqlite_schema WHERE name = 'shelter'"
  const registers = "SELECT value FROM main.shelter WHERE member = 'register'"
  const named = db.prepare(isNamed).get() && db.prepare(registers).get()
  const same =
    named === undefined
      ? 'SELECT 1 FROM main.keys JOIN newest.keys USING (id) LIMIT 1'
      : `SELECT 1 FROM newest.shelter WHERE member = 'register' AND value = (${registers})`
  return db.prepare(same).get() !== undefined
}
