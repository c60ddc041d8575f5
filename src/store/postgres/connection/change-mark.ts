/**
 * How far the animals and the journal have come, without a row that every write would have to update: the greatest
 * number of each. A transaction that draws its number early and commits late may leave both as they are. So for some
 * seconds after they have moved, and while one that was seen is under way, the mark is the snapshot itself, which each
 * commit moves.
 */
import { text } from '../../sql.ts'
import type { Database } from './database.ts'

/** A statement that adds an animal ends within this time. */
const SETTLED_AFTER_MS = 2_000

const MARK = `
  SELECT concat_ws(' ', (SELECT max(id) FROM pets), (SELECT max(n) FROM journal)),
    snapshot, pg_snapshot_xmin(snapshot) = pg_snapshot_xmax(snapshot)
  FROM pg_current_snapshot() AS snapshot`

export class ChangeMark {
  readonly #database: Pick<Database, 'single' | 'clock'>
  #numbers = ''
  #movedMs = 0

  constructor(database: Pick<Database, 'single' | 'clock'>) {
    this.#database = database
  }

  /** Throws StoreUnavailable. */
  async read(): Promise<string> {
    const { clock, single } = this.#database
    const [[numbers, snapshot, isQuiet] = []] = await single(MARK)
    if (numbers !== this.#numbers) {
      this.#numbers = text(numbers)
      this.#movedMs = clock.monotonic()
    }
    const isSettled = isQuiet === 1n && clock.monotonic() - this.#movedMs > SETTLED_AFTER_MS
    return isSettled ? this.#numbers : `${numbers} at ${snapshot}`
  }
}
