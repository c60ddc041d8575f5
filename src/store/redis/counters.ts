/**
 * Counters in Redis or Valkey, one server or a cluster, over TCP or TLS. What the named server says of itself decides
 * between the two, so a cluster needs no setting. A connection is made once and never mended: when it fails, the next
 * one is made from the address anew, which also finds a server that moved and a cluster that changed its shape.
 */
import { createClient, createCluster } from '@redis/client'
import type { Clock } from '../../common/clock.ts'
import type { Limits, Standing, Usage, Verdict } from '../../contract/limits.ts'
import { SharedTakes, type Takes, toBefore } from '../shared-takes.ts'
import { type SharedCounters, StoreUnavailable, StoreUnusable } from '../store.ts'
import { takeScript } from './take.ts'

const CONNECT_TIMEOUT_MS = 700

type Client = ReturnType<typeof newClient>
type Cluster = ReturnType<typeof newCluster>

export class RedisCounters implements SharedCounters {
  readonly #urls: readonly string[]
  readonly #clock: Clock | undefined
  readonly #takes = new SharedTakes((takes) => Promise.all(takes.map((one) => this.#ask(one))))
  #connection: Client | Cluster | undefined
  #connected = false
  #attempt: symbol | undefined

  /** `urls`: one address, or several of a cluster separated by commas. `clock` takes the place of the server's, for tests. */
  constructor(urls: string, clock?: Clock) {
    this.#urls = urls.split(',')
    this.#clock = clock
    for (const url of this.#urls) {
      if (!/^rediss?:\/\/./.test(url) || !URL.canParse(url)) {
        throw new StoreUnusable(
          '--counters must be redis://… or rediss://…; several addresses of a cluster are separated by commas.',
        )
      }
    }
  }

  take(subject: string, limits: Limits): Promise<Verdict> {
    return this.#takes.take(subject, limits)
  }

  peek(subject: string, limits: Limits): Promise<Standing> {
    return this.#takes.peek(subject, limits)
  }

  async #ask({ subject, limits, count }: Takes) {
    if (this.#connection === undefined || !this.#connected) throw new StoreUnavailable('there is no connection')
    return toBefore(await this.#connection.take(keyOf(subject), this.#clock?.(), count, limits))
  }

  async revive(): Promise<void> {
    await this.close()
    const attempt = Symbol('attempt')
    this.#attempt = attempt
    let problem: unknown
    for (const url of this.#urls) {
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
      client.destroy()
      await this.#hold(newCluster(this.#urls), attempt).connect()
    }
    this.#connected = this.#attempt === attempt
  }

  /** Makes it the connection to close, unless another attempt has begun meanwhile. */
  #hold<C extends Client | Cluster>(connection: C, attempt: symbol): C {
    if (this.#attempt !== attempt) throw new StoreUnavailable('this attempt to connect has been given up')
    this.#connection = connection
    return connection
  }

  /** Puts these counts in the place of what is there, for `pets copy`. */
  async putUsages(usages: ReadonlyMap<string, Usage>, nowMs: number): Promise<void> {
    const connection = this.#connection
    if (connection === undefined) throw new StoreUnavailable('there is no connection')
    for (const [subject, usage] of usages) {
      const keptUntilMs = Math.max((usage.minute + 1) * 60_000, (usage.day + 1) * 86_400_000, usage.bannedUntilMs)
      if (keptUntilMs <= nowMs) continue
      await connection.hSet(keyOf(subject), {
        minute: usage.minute,
        minute_count: usage.minuteCount,
        day: usage.day,
        day_count: usage.dayCount,
        banned_until: usage.bannedUntilMs,
        ban_limit: usage.banLimit,
        refused_at: usage.refusedAtMs.join(' '),
      })
      await connection.pExpire(keyOf(subject), keptUntilMs - nowMs)
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    this.#connected = false
    this.#attempt = undefined
    if (connection?.isOpen) connection.destroy()
  }
}

/** The braces are a cluster's hash tag. */
function keyOf(subject: string): string {
  return `pets:{${subject}}`
}

const scripts = { take: takeScript }

/** No queue while there is no connection, and no time limit a command: the caller bounds its wait (../fallback-counters.ts). */
const commandOptions = { timeout: 0 }
const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const

function newClient(url: string) {
  const client = createClient({ url, scripts, commandOptions, socket, disableOfflineQueue: true })
  // Whoever asks next meets the reason.
  client.on('error', () => {})
  return client
}

/** The other nodes are reached as the first one: with its user and password, and over TLS if that is. */
function newCluster(urls: readonly string[]) {
  const first = new URL(urls[0] ?? '')
  const cluster = createCluster({
    scripts,
    commandOptions,
    rootNodes: urls.map((url) => ({ url })),
    defaults: {
      ...(first.username === '' ? {} : { username: decodeURIComponent(first.username) }),
      ...(first.password === '' ? {} : { password: decodeURIComponent(first.password) }),
      socket: first.protocol === 'rediss:' ? { ...socket, tls: true } : socket,
      disableOfflineQueue: true,
    },
  })
  cluster.on('error', () => {})
  return cluster
}
