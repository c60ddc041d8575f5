/**
 * The look-up of a request's key in PostgreSQL. A key is cached for at most four seconds, counted from the start of its
 * look-up, so that a revocation on any node takes effect everywhere within the five seconds that O7 allows; on the node
 * that revokes, at once. Unknown keys are not cached, since they may be issued the next moment; a flood of them shares
 * one look-up at a time.
 */
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { Batches } from '../batches.ts'
import { KEY, type Key } from '../rows.ts'
import type { Cell } from '../sql.ts'
import type { PostgresDatabase } from './connection/database.ts'

const KEPT_MS = 4_000
/** Of the 2 s of a request, the part that finding its key may take. */
const LOOK_UP_MS = 600

export class KeyLookup {
  readonly #database: PostgresDatabase
  /** In the order of `untilMs`, so expired entries come first. */
  readonly #cache = new Map<string, { readonly key: Key; readonly untilMs: number }>()
  readonly #lookups: Batches<string, Key | undefined>
  /** Grows with each change made here, so that a look-up that was in flight during the change is not cached. */
  #changes = 0

  constructor(database: PostgresDatabase) {
    this.#database = database
    const limits = { clock: database.clock, inFlight: 1, maxItems: 1_000 }
    this.#lookups = new Batches((hashes) => this.#lookUp(hashes), limits)
  }

  find(hash: string): MaybePromise<Key | undefined> {
    const entry = this.#cache.get(hash)
    if (entry !== undefined && entry.untilMs > this.#database.clock.monotonic()) return entry.key
    return this.#lookups.submit(hash)
  }

  readonly forget = (): void => {
    this.#changes += 1
    this.#cache.clear()
  }

  async #lookUp(hashes: readonly string[]): Promise<readonly (Key | undefined)[]> {
    const untilMs = this.#database.clock.monotonic() + KEPT_MS
    const changes = this.#changes
    const sql = `SELECT ${KEY.columns}, hash FROM keys WHERE hash = ANY($1)`
    const rows = await this.#database.query(sql, [[...new Set(hashes)]], LOOK_UP_MS)
    const keys = new Map(rows.map((row) => [row.at(-1), KEY.row(row)]))
    if (changes === this.#changes) this.#keep(keys, untilMs)
    return hashes.map((hash) => keys.get(hash))
  }

  #keep(keys: ReadonlyMap<Cell | undefined, Key>, untilMs: number): void {
    const nowMs = this.#database.clock.monotonic()
    for (const [hash, entry] of this.#cache) {
      if (entry.untilMs > nowMs) break
      this.#cache.delete(hash)
    }
    for (const [hash, key] of keys) {
      if (typeof hash !== 'string') continue
      this.#cache.delete(hash)
      this.#cache.set(hash, { key, untilMs })
    }
  }
}
