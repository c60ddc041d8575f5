/**
 * What has to be found after a power failure: the acts that were acknowledged before it, each whole; of those under way
 * any, each whole or not at all; and nothing else. The model of the strain says whether it is so
 * (test/strain/model.ts).
 */
import type { Ran } from '../strain/model.ts'

/** What a scene does and marks in the record, as it begins and when it is acknowledged. */
export type Act =
  /** Over HTTP, an animal with this name. */
  | { readonly create: string }
  /** So many requests are counted on the disk: their time to be saved, 100 ms and two syncs, has passed. */
  | { readonly count: number }
  /** A backup and a restore are about a path below the recorded folder. */
  | (Pick<Ran, 'step' | 'about'> & { readonly isOfEarlierVersion: boolean })

export interface Mark {
  /** Two marks have the number of an act. */
  readonly n: number
  readonly phase: 'begun' | 'done'
  readonly act: Act
  /** The id of an animal that was created. */
  readonly id?: string
}

/** The acts that one database has to hold, or may, each with its last mark. */
export type Expectation = ReadonlyMap<number, Mark>

/** What may be at one path: one of these expectations is met; `undefined` among them: nothing need be there. */
export type Allowed = readonly (Expectation | undefined)[]

/** Follows the marks of a record. */
export class Course {
  #now = new Map<number, Mark>()
  /** While a restore is under way: what the database holds when it is done. */
  #next: Map<number, Mark> | undefined
  /** By file. */
  readonly #backups = new Map<string, { readonly holds: Map<number, Mark>; isDone: boolean }>()
  #aside: Expectation | undefined
  /** Whether a key may be there that was shown in a file. */
  showsKey = false

  note(mark: Mark): void {
    const { n, act, phase } = mark
    const command = 'step' in act ? act.step.act : undefined
    const [file = ''] = 'step' in act ? act.about : []
    if (command === 'first key') this.showsKey = true
    if (command === 'backup') {
      const known = this.#backups.get(file)
      if (known === undefined) this.#backups.set(file, { holds: new Map(this.#now), isDone: false })
      else known.isDone = true
    } else if (command === 'restore') {
      this.#next = new Map(this.#backups.get(file)?.holds)
      if (phase === 'begun') return
      this.#aside = this.#now
      this.#now = this.#next
      this.#next = undefined
    } else {
      this.#now.set(n, mark)
      // A backup holds of what happens while it is made any part.
      for (const { holds, isDone } of this.#backups.values()) if (!isDone) holds.set(n, { ...mark, phase: 'begun' })
    }
  }

  database(): Allowed {
    if (this.#next !== undefined) return [this.#now, this.#next]
    const isAcknowledged = [...this.#now.values()].some(({ phase }) => phase === 'done')
    return isAcknowledged ? [this.#now] : [this.#now, undefined]
  }

  backups(): ReadonlyMap<string, Allowed> {
    return new Map([...this.#backups].map(([file, { holds, isDone }]) => [file, isDone ? [holds] : [holds, undefined]]))
  }

  /** The database that a restore has set aside. */
  aside(): Expectation | undefined {
    return this.#aside
  }
}
