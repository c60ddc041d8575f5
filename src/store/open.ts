/** The only place where an engine is chosen: by the scheme of `--database` and, for the counters, of `--counters`. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Usage } from '../contract/limits.ts'
import { FallbackCounters, type FallbackOptions } from './fallback-counters.ts'
import type { Task } from './postgres/tools.ts'
import { type Counters, type Store, type StoreEvents, StoreUnusable, WrongAddress } from './store.ts'
import { isUnambiguous } from './url.ts'

const ENCODING =
  'write it as scheme://user:password@host:port/name, with characters such as @ / ? # , in the password as %40 %2F %3F %23 %2C.'

export interface OpenOptions {
  /** This process serves requests from the store, instead of running one command. */
  readonly serving: boolean
  /** For commands that need a SQLite file for themselves: no service runs on it meanwhile. */
  readonly alone?: boolean
  /** For commands that make no sense on a new database: a mistyped path must not make one. */
  readonly mustExist?: boolean
  /** The option that named the database, if it is not `--database`. */
  readonly flag?: string
  /** Events of a database that may be unavailable for a time. */
  readonly events?: StoreEvents
  /** Called with a sentence about a failure that could not be reported in a response. */
  readonly report?: (trouble: string) => void
}

/** The file of an embedded database, as an absolute path; undefined for a server. */
export function databaseFile(url: string): string | undefined {
  return url.startsWith('sqlite:') ? resolve(url.slice('sqlite:'.length)) : undefined
}

/** The file that a task of upkeep is about. Throws StoreUnusable: on PostgreSQL, with what to use there. */
export async function fileFor(task: Task, url: string): Promise<string> {
  const file = databaseFile(url)
  if (file !== undefined) return file
  assertPostgres(url)
  const { useTools } = await import('./postgres/tools.ts')
  throw useTools(url, task)
}

/** Throws StoreUnusable. */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const { flag = '--database' } = options
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    if (options.mustExist && !existsSync(path)) {
      throw new StoreUnusable(
        `There is no database at ${databaseFile(url)}; go to the folder of the service, or name the database with ${flag}.`,
      )
    }
    const { SqliteStore } = await import('./sqlite/store.ts')
    return SqliteStore.open(path, options)
  }
  assertPostgres(url, flag)
  const { PostgresStore } = await import('./postgres/store.ts')
  return PostgresStore.open(url, options)
}

function assertPostgres(url: string, flag = '--database'): void {
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new WrongAddress(`${flag} must be sqlite:PATH or postgres://…; see it for a space or a mistyped scheme.`)
  }
  if (!isUnambiguous(url)) throw new WrongAddress(`${flag} is not a valid address; ${ENCODING}`)
}

export interface CountersOptions extends FallbackOptions {
  /** `--counters`; without it the store keeps its own counters. */
  readonly url: string | undefined
}

/**
 * Shared counters may be down, now or later: the service then starts and goes on as `whenDown` says. Throws
 * StoreUnusable.
 */
export async function openCounters(store: Store, options: CountersOptions): Promise<Counters> {
  if (options.url !== undefined) {
    if (!options.url.split(',').every(isUnambiguous)) {
      throw new WrongAddress(
        `--counters must be redis://… or rediss://…, and several addresses of a cluster separated by commas; ${ENCODING}`,
      )
    }
    const { RedisCounters } = await import('./redis/counters.ts')
    return FallbackCounters.over(new RedisCounters(options.url), options)
  }
  const counters = store.counters(options.clock)
  return 'revive' in counters ? FallbackCounters.over(counters, options) : counters
}

/** Shared counters for `pets copy` to fill; the caller closes them. Throws StoreUnusable. */
export async function openCountersToFill(url: string): Promise<{
  /** Replaces the stored counts by these. */
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
