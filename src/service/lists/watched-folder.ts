/**
 * A folder into which lists are put, by people or by other programs. A list is taken when it is whole: when it is the
 * same at two looks. What was done goes to `done/`, and what is refused to `failed/`, with the reasons beside it. A
 * list that cannot be taken for other reasons stays, and is tried again; the others do not wait for it.
 */
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ExplainedError, isOfSystem } from '../../common/errors.ts'
import { ListRefused } from './sync-list.ts'

/** A list that stays the same for as long is whole. Twice this time and a sync is less than a minute. */
export const LOOK_EVERY_MS = 10_000
const LISTS = ['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl']

/** The folder is not there, or is somebody else's. */
class FolderUnusable extends ExplainedError {
  override readonly name = 'FolderUnusable'
}

interface Watching {
  /** Unix ms. */
  readonly now: () => number
  /** Returns what was done, in a line. */
  readonly sync: (file: string, noteProblem: (text: string) => void) => Promise<string>
  readonly tell: (name: string, became: 'done' | 'refused' | 'put off', why: string) => void
  /** Runs the work, unless somebody else who looks at the folder does so now. */
  readonly alone?: (work: () => Promise<void>) => Promise<void>
}

export class WatchedFolder {
  readonly #path: string
  readonly #watching: Watching
  /** By name, size and time of the lists that were there at the last look. */
  #seen: ReadonlyMap<string, string> = new Map()
  /** By name, what was told last of a list that stays, so that it is told once. */
  #told: ReadonlyMap<string, string> = new Map()

  /** Throws FolderUnusable if the folder cannot be used. */
  constructor(path: string, watching: Watching) {
    this.#path = path
    this.#watching = watching
    try {
      readdirSync(path)
      for (const folder of ['done', 'failed']) mkdirSync(join(path, folder), { recursive: true })
    } catch (error) {
      throw this.#unusable(error)
    }
  }

  /** Takes the lists that are whole, the oldest first. Throws FolderUnusable if the folder cannot be used. */
  async look(): Promise<void> {
    try {
      const found = this.#lists()
      const whole = [...found].filter(([name, state]) => this.#seen.get(name) === state)
      this.#seen = found
      this.#told = new Map([...this.#told].filter(([name]) => found.has(name)))
      const { alone = (work) => work() } = this.#watching
      if (whole.length > 0) await alone(() => this.#takeAll(whole))
    } catch (error) {
      throw this.#unusable(error)
    }
  }

  #unusable(error: unknown): unknown {
    if (!isOfSystem(error) || !(error instanceof Error)) return error
    return new FolderUnusable(`The folder ${this.#path} cannot be used: ${error.message}.`)
  }

  #lists(): ReadonlyMap<string, string> {
    const lists = readdirSync(this.#path, { withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && !entry.name.startsWith('.') && LISTS.includes(extname(entry.name).toLowerCase()),
      )
      .flatMap(({ name }) => {
        const found = statSync(join(this.#path, name), { throwIfNoEntry: false })
        return found === undefined ? [] : [{ name, size: found.size, atMs: found.mtimeMs }]
      })
    lists.sort((a, b) => a.atMs - b.atMs || (a.name < b.name ? -1 : 1))
    return new Map(lists.map(({ name, size, atMs }) => [name, `${size} ${atMs}`]))
  }

  /** If they are there still, as they were. */
  async #takeAll(lists: readonly (readonly [name: string, state: string])[]): Promise<void> {
    for (const [name, state] of lists) if (this.#lists().get(name) === state) await this.#take(name, state)
  }

  async #take(name: string, state: string): Promise<void> {
    const problems: string[] = []
    let said: string
    try {
      said = await this.#watching.sync(join(this.#path, name), (text) => problems.push(text))
    } catch (error) {
      this.#leave(name, state, error, problems)
      return
    }
    if (this.#lists().get(name) === state) this.#move(name, 'done')
    this.#watching.tell(name, 'done', said)
  }

  /** If another list has its name meanwhile, or none, only the one that was read is judged, and nothing is moved. */
  #leave(name: string, state: string, error: unknown, problems: readonly string[]): void {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof ListRefused && this.#lists().get(name) === state) {
      const moved = this.#move(name, 'failed')
      writeFileSync(`${moved}.txt`, `${problems.join('')}${why}\n`)
      this.#watching.tell(name, 'refused', why)
    } else if (this.#told.get(name) !== why) {
      this.#watching.tell(name, 'put off', why)
      this.#told = new Map([...this.#told, [name, why]])
    }
  }

  /** Under the time at which it was taken, since the next list may have the same name. */
  #move(name: string, folder: 'done' | 'failed'): string {
    const at = new Date(this.#watching.now()).toISOString().replaceAll(':', '-')
    const moved = join(this.#path, folder, `${at} ${name}`)
    renameSync(join(this.#path, name), moved)
    return moved
  }
}
