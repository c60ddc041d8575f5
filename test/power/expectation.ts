/**
 * What has to be found after a power failure: the acts that were acknowledged before it, each whole; of those under way
 * any, each whole or not at all; and nothing else.
 */

/** What a test does and marks in the record, as it begins and when it is acknowledged. Names are given once. */
export type Act =
  | { readonly act: 'create'; readonly animal: string }
  | { readonly act: 'import'; readonly prefix: string; readonly animals: number }
  | { readonly act: 'undo'; readonly prefix: string }
  | { readonly act: 'issue' | 'revoke'; readonly key: string }
  /** So many requests are counted on the disk: their time to be saved, 100 ms and two syncs, has passed. */
  | { readonly act: 'count'; readonly requests: number }
  /** `file` is a path below the recorded folder. */
  | { readonly act: 'back up' | 'restore'; readonly file: string }
  /** A first start issues the key with this label, and shows it in a file. */
  | { readonly act: 'start'; readonly key: string }

export interface Mark {
  /** Two marks have the number of an act. */
  readonly n: number
  readonly phase: 'begun' | 'done'
  readonly act: Act
  /** The id of an animal that was created. */
  readonly id?: number
}

/** Whether something is there: `open` may be. */
type Presence = 'there' | 'open' | 'gone'

/** What one database has to hold. */
export class Expectation {
  readonly animals = new Map<string, Presence>()
  readonly imports = new Map<string, { readonly animals: number; readonly is: Presence }>()
  readonly keys = new Map<string, { readonly issued: Presence; readonly revoked: Presence }>()
  counted = 0
  /** The greatest id that was given. */
  lastId = 0

  copy(): Expectation {
    const copy = new Expectation()
    for (const name of ['animals', 'imports', 'keys'] as const) {
      for (const [key, value] of this[name]) (copy[name] as Map<string, unknown>).set(key, value)
    }
    copy.counted = this.counted
    copy.lastId = this.lastId
    return copy
  }

  /** Nothing was acknowledged that a database would have to hold. */
  get isEmpty(): boolean {
    return ![
      ...this.animals.values(),
      ...[...this.imports.values()].map(({ is }) => is),
      ...[...this.keys.values()].map(({ issued }) => issued),
    ].includes('there')
  }

  note({ act, phase, id }: Mark): void {
    const is = phase === 'done' ? 'there' : 'open'
    if (act.act === 'create') this.animals.set(act.animal, is)
    else if (act.act === 'import') this.imports.set(act.prefix, { animals: act.animals, is })
    else if (act.act === 'undo') {
      const animals = this.imports.get(act.prefix)?.animals ?? 0
      this.imports.set(act.prefix, { animals, is: phase === 'done' ? 'gone' : 'open' })
    } else if (act.act === 'issue' || act.act === 'start') this.keys.set(act.key, { issued: is, revoked: 'gone' })
    else if (act.act === 'revoke') this.keys.set(act.key, { issued: 'there', revoked: is })
    else if (act.act === 'count' && phase === 'done') this.counted = act.requests
    this.lastId = Math.max(this.lastId, id ?? 0)
  }
}

/** What may be at one path: one of these expectations is met; `undefined` among them: nothing need be there. */
export type Allowed = readonly (Expectation | undefined)[]

/** Follows the marks of a record. */
export class Course {
  #now = new Expectation()
  /** While a restore is under way: what the database holds when it is done. */
  #next: Expectation | undefined
  /** By file. */
  readonly #backups = new Map<string, { readonly holds: Expectation; isDone: boolean }>()
  #aside: Expectation | undefined
  /** Whether a key may be there that was shown in a file. */
  showsKey = false

  note(mark: Mark): void {
    const { act, phase } = mark
    if (act.act === 'start') this.showsKey = true
    if (act.act === 'back up') {
      const known = this.#backups.get(act.file)
      if (known === undefined) this.#backups.set(act.file, { holds: this.#now.copy(), isDone: false })
      else known.isDone = true
    } else if (act.act === 'restore') {
      this.#next = this.#backups.get(act.file)?.holds.copy()
      if (phase === 'begun' || this.#next === undefined) return
      this.#aside = this.#now
      this.#now = this.#next
      this.#next = undefined
    } else {
      this.#now.note(mark)
      // A backup holds of what happens while it is made any part.
      const open: Mark = act.act === 'count' ? mark : { ...mark, phase: 'begun' }
      for (const backup of this.#backups.values()) if (!backup.isDone && act.act !== 'count') backup.holds.note(open)
    }
  }

  database(): Allowed {
    if (this.#next !== undefined) return [this.#now, this.#next]
    return this.#now.isEmpty ? [this.#now, undefined] : [this.#now]
  }

  backups(): ReadonlyMap<string, Allowed> {
    return new Map([...this.#backups].map(([file, { holds, isDone }]) => [file, isDone ? [holds] : [holds, undefined]]))
  }

  /** The database that a restore has set aside. */
  aside(): Expectation | undefined {
    return this.#aside
  }
}
