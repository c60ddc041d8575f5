/**
 * Looks up keys. A key is cached for 4 s, so a revocation applies on all nodes within 5 (O7). Unknown keys are not
 * cached, because they might be created next.
 */
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { Batches } from '../batches.ts'
import { KEY, type Key } from '../rows.ts'
import type { Cell } from '../sql.ts'
import type { PostgresDatabase } from './connection/database.ts'

const KEPT_MS = 4_000
/** The part of a request's 2 s for finding its key. */
const LOOK_UP_MS = 600

export function keyLookup({ clock, query }: PostgresDatabase) {
  /** By `untilMs`, so expired entries come first. */
  const cache = new Map<string, { readonly key: Key; readonly untilMs: number }>()
  /** Increases with each change, so that a look-up during the change is not cached. */
  let changes = 0
  const keep = (keys: ReadonlyMap<Cell | undefined, Key>, untilMs: number) => {
    const nowMs = clock.monotonic()
    for (const [hash, entry] of cache) {
      if (entry.untilMs > nowMs) break
      cache.delete(hash)
    }
    for (const [hash, key] of keys) {
      if (typeof hash !== 'string') continue
      cache.delete(hash)
      cache.set(hash, { key, untilMs })
    }
  }
  const lookUp = async (hashes: readonly string[]) => {
    const untilMs = clock.monotonic() + KEPT_MS
    const before = changes
    const sql = `SELECT ${KEY.columns}, hash FROM keys WHERE hash = ANY($1)`
    const rows = await query(sql, [[...new Set(hashes)]], LOOK_UP_MS)
    const keys = new Map(rows.map((row) => [row.at(-1), KEY.row(row)]))
    if (before === changes) keep(keys, untilMs)
    return hashes.map((hash) => keys.get(hash))
  }
  const lookups = new Batches(lookUp, { clock, inFlight: 1, maxItems: 1_000 })
  return {
    find(hash: string): MaybePromise<Key | undefined> {
      const entry = cache.get(hash)
      return entry !== undefined && entry.untilMs > clock.monotonic() ? entry.key : lookups.submit(hash)
    },
    forget(): void {
      changes += 1
      cache.clear()
    },
  }
}
