/** Opens the counters at `--counters`, or the counters of the store. */
import type { Clock } from '../common/clock.ts'
import { HOW_TO_ENCODE, isUnambiguous } from '../common/url.ts'
import { type Store, WrongAddress } from '../store/store.ts'
import type { Counters } from './counters.ts'
import type { FallbackOptions } from './fallback-counters.ts'
import { MemoryCounters } from './memory-counters.ts'

export interface CountersOptions extends FallbackOptions {
  readonly url: string | undefined
}

/** Throws WrongAddress. */
export function assertCountersAddress(url: string | undefined): void {
  if (url === undefined || url.split(',').every((one) => /^rediss?:\/\/./.test(one) && isUnambiguous(one))) return
  throw new WrongAddress(
    `--counters must be redis://… or rediss://…, or several such addresses of one cluster separated by commas; ${HOW_TO_ENCODE}`,
  )
}

/** The service also starts while shared counters are down. Throws StoreUnusable. */
export async function openCounters(store: Store, options: CountersOptions): Promise<Counters> {
  const { url, clock } = options
  const backend = url === undefined ? store.counters() : await redisAt(url, clock)
  if ('load' in backend) return new MemoryCounters(clock, backend)
  return (await import('./fallback-counters.ts')).FallbackCounters.over(backend, options)
}

export async function troubleOfShared(url: string, clock: Clock): Promise<string | undefined> {
  const { FallbackCounters } = await import('./fallback-counters.ts')
  const counters = await FallbackCounters.over(await redisAt(url, clock), { clock, onChange() {}, onAlone() {} })
  const trouble = counters.trouble()
  await counters.close()
  return trouble
}

/** For `pets copy`, which closes them. Throws StoreUnusable. */
export async function openCountersToFill(url: string, clock: Clock) {
  const counters = await redisAt(url, clock)
  try {
    await counters.revive()
    return counters
  } catch (error) {
    await counters.close()
    throw error
  }
}

async function redisAt(url: string, clock: Clock) {
  return new (await import('./redis-counters.ts')).RedisCounters(url, clock)
}
