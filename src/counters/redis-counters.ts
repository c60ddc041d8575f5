/** Counters in Redis or Valkey, on one server or a cluster. The configured address also finds a moved server. */
import { createClient, createCluster } from '@redis/client'
import type { Clock } from '../common/clock.ts'
import { type Counter, expiresAtMs, type Limits } from '../contract/limits.ts'
import {
  BatchedCounters,
  type CounterBefore,
  type CounterIncrement,
  toCounterBefore,
} from '../store/batched-counters.ts'
import { StoreUnavailable } from '../store/store.ts'
import { consumeScript, unbanScript } from './redis-scripts.ts'

const CONNECT_TIMEOUT_MS = 700
/** Enough to probe each server of a cluster. */
const MAX_PROOFS = 100
/** A peek counts nothing, whatever the limits. */
const NO_LIMITS: Limits = { perMinute: 0, perDay: undefined, ban: undefined }

type Client = ReturnType<typeof newClient>
type Cluster = ReturnType<typeof newCluster>

export class RedisCounters extends BatchedCounters {
  /** In the order of the next attempt. */
  #urls: readonly string[]
  readonly #serverNow: (() => number) | undefined
  /** Subjects that a server could not count. A probe writes in their slots. */
  readonly #uncounted = new Set<string>()
  #connection: Client | Cluster | undefined
  #isConnected = false
  #attempt: symbol | undefined

  /** `urls`: addresses of one cluster, separated by commas. `serverNow` replaces the server's clock in tests. */
  constructor(urls: string, clock: Clock, serverNow?: () => number) {
    super(clock)
    this.#urls = urls.split(',')
    this.#serverNow = serverNow
  }

  async unban(subject: string, untilMs: number): Promise<void> {
    await this.#counting().unban(keyOf(subject), untilMs)
  }

  protected look(subjects: readonly string[]): Promise<readonly CounterBefore[]> {
    return this.count(subjects.map((subject) => ({ subject, limits: NO_LIMITS, count: 0 })))
  }

  protected async count(takes: readonly CounterIncrement[]): Promise<readonly CounterBefore[]> {
    const connection = this.#counting()
    return Promise.all(
      takes.map(async ({ subject, limits, count }) => {
        try {
          return toCounterBefore(await connection.take(keyOf(subject), this.#serverNow?.(), count, limits))
        } catch (error) {
          if (this.#uncounted.size < MAX_PROOFS) this.#uncounted.add(subject)
          throw error
        }
      }),
    )
  }

  #counting(): Client | Cluster {
    if (this.#connection !== undefined && this.#isConnected) return this.#connection
    throw new StoreUnavailable('the connection is down')
  }

  async revive(): Promise<void> {
    await this.close()
    const attempt = Symbol('attempt')
    this.#attempt = attempt
    const urls = this.#urls
    // A frozen server accepts connections without responding, so the next attempt begins with another address.
    this.#urls = [...urls.slice(1), ...urls.slice(0, 1)]
    let problem: unknown
    for (const url of urls) {
      try {
        return await this.#connect(url, attempt)
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }

  async #connect(url: string, attempt: symbol): Promise<void> {
    const client = this.#hold(newClient(url), attempt)
    await client.connect()
    if (/^cluster_enabled:1/m.test(await client.info('cluster'))) {
      await this.#hold(newCluster(url), attempt).connect()
    }
    await this.#prove(this.#connection)
    this.#isConnected = this.#attempt === attempt
  }

  /** Probes each server that could not count with a write, since a server can respond and still refuse writes. */
  async #prove(connection: Client | Cluster | undefined): Promise<void> {
    const write = (subject: string) =>
      connection?.set(`${keyOf(subject)}:proof`, '1', { expiration: { type: 'PX', value: 1_000 } })
    await Promise.all([...this.#uncounted, 'proof'].map(write))
    this.#uncounted.clear()
  }

  /** Replaces and closes the previous connection. Throws if another attempt has begun. */
  #hold<C extends Client | Cluster>(connection: C, attempt: symbol): C {
    if (this.#attempt !== attempt) throw new StoreUnavailable('this attempt to connect has been given up')
    this.#drop()
    this.#connection = connection
    return connection
  }

  #drop(): void {
    if (this.#connection?.isOpen) this.#connection.destroy()
    this.#connection = undefined
  }

  /** For `pets copy`. */
  async putCounters(counters: ReadonlyMap<string, Counter>, nowMs: number): Promise<void> {
    const connection = this.#connection
    if (connection === undefined) throw new StoreUnavailable('the connection is down')
    for (const [subject, counter] of counters) {
      const untilMs = expiresAtMs(counter)
      if (untilMs <= nowMs) continue
      await connection.hSet(keyOf(subject), {
        minute: counter.minute,
        minute_count: counter.minuteCount,
        day: counter.day,
        day_count: counter.dayCount,
        banned_until: counter.bannedUntilMs,
        ban_limit: counter.banLimit,
        refused_at: counter.refusedAtMs.join(' '),
      })
      await connection.pExpire(keyOf(subject), untilMs - nowMs)
    }
  }

  async close(): Promise<void> {
    this.#isConnected = false
    this.#attempt = undefined
    this.#drop()
  }
}

/** The braces are a hash tag, which decides the slot in a cluster. */
function keyOf(subject: string): string {
  return `pets:{${subject}}`
}

const scripts = { take: consumeScript, unban: unbanScript }

/** The caller limits its wait (./fallback-counters.ts). */
const commandOptions = { timeout: 0 }
const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const

function newClient(url: string) {
  const client = createClient({ url, scripts, commandOptions, socket, disableOfflineQueue: true })
  // Without a listener the process would end. The next request reports the error.
  client.on('error', () => {})
  return client
}

/** The other servers share user, password and TLS with this address. */
function newCluster(url: string) {
  const { username, password, protocol } = new URL(url)
  const cluster = createCluster({
    scripts,
    commandOptions,
    rootNodes: [{ url }],
    defaults: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
      disableOfflineQueue: true,
    },
  })
  cluster.on('error', () => {})
  return cluster
}
