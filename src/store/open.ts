/** Where an engine is chosen, and the only place: by the scheme of `--database` and, for the counters, of `--counters`. */
import type { Clock, Counters, Store } from './store.ts'
import { StoreUnusable } from './store.ts'

/** `serving`: this process answers requests from the store, rather than running one command. Throws StoreUnusable. */
export async function openStore(url: string, options: { serving: boolean }): Promise<Store> {
  if (url.startsWith('sqlite:')) {
    const { SqliteStore } = await import('./sqlite/store.ts')
    return new SqliteStore(url.slice('sqlite:'.length), options)
  }
  throw new StoreUnusable(
    `--database must be sqlite:PATH or postgres://…, not ${JSON.stringify(url.replace(/\/\/.*@/, '//…@'))}.`,
  )
}

export interface CountersOptions {
  /** `--counters`; without it the store keeps its own. */
  readonly url: string | undefined
  /** What to do while the counter store cannot be reached: count on this node alone, or answer 503. */
  readonly whenDown: 'local' | 'refuse'
  readonly clock: Clock
  /** Told once when counting falls back, and once when it is back. */
  readonly onChange: (trouble: string | undefined) => void
}

export async function openCounters(store: Store, options: CountersOptions): Promise<Counters> {
  return store.counters(options.clock)
}
