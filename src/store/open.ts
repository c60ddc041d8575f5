/** Where an engine is chosen, and the only place: by the scheme of `--database` and, for the counters, of `--counters`. */
import { existsSync } from 'node:fs'
import type { Usage } from '../contract/limits.ts'
import { FallbackCounters, type FallbackOptions } from './fallback-counters.ts'
import { type Counters, type Store, type StoreEvents, StoreUnusable } from './store.ts'

export interface OpenOptions {
  /** This process answers requests from the store, rather than running one command. */
  readonly serving: boolean
  /** For commands that make no sense on a new database: a mistyped path must not make one. */
  readonly mustExist?: boolean
  /** The option that named the database, where it is not `--database`. */
  readonly flag?: string
  /** What a database that may be gone for a while tells. */
  readonly events?: StoreEvents
}

/** Throws StoreUnusable. */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const { flag = '--database' } = options
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    if (options.mustExist && !existsSync(path)) {
      throw new StoreUnusable(`There is no database at ${path}; name the right one with ${flag}.`)
    }
    const { SqliteStore } = await import('./sqlite/store.ts')
    return new SqliteStore(path, options)
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) {
    const { PostgresStore } = await import('./postgres/store.ts')
    return PostgresStore.open(url, options)
  }
  throw new StoreUnusable(`${flag} must be sqlite:PATH or postgres://…; correct it.`)
}

export interface CountersOptions extends FallbackOptions {
  /** `--counters`; without it the store keeps its own. */
  readonly url: string | undefined
}

/** Counters that are shared may be down, now or later: the service starts and goes on as `whenDown` says. Throws StoreUnusable. */
export async function openCounters(store: Store, options: CountersOptions): Promise<Counters> {
  if (options.url !== undefined) {
    const { RedisCounters } = await import('./redis/counters.ts')
    return FallbackCounters.over(new RedisCounters(options.url), options)
  }
  const counters = store.counters(options.clock)
  return 'revive' in counters ? FallbackCounters.over(counters, options) : counters
}

/** Shared counters to be filled by `pets copy`: whoever has them writes to them, and closes them. Throws StoreUnusable. */
export async function openCountersToFill(url: string): Promise<{
  /** Puts these counts in the place of what is there. */
  putUsages(usages: ReadonlyMap<string, Usage>, nowMs: number): Promise<void>
  close(): Promise<void>
}> {
  const { RedisCounters } = await import('./redis/counters.ts')
  const counters = new RedisCounters(url)
  try {
    await counters.revive()
    return counters
  } catch (error) {
    await counters.close()
    throw error
  }
}
