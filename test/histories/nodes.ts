/** Real processes on one PostgreSQL, with Redis or without, which get the requests in turn. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fc from 'fast-check'
import type { Issuer } from '../../src/domain/keys.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/store.ts'
import type { RawAnswer } from '../support/http.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { startRedis, type TestRedis } from '../support/servers/redis.ts'
import { type RunningService, startService } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'
import { animalsOf, seenIn } from './at-store.ts'
import { type Plan, type Played, playAll, type Setting, settingsOf } from './histories.ts'
import { Finding } from './part.ts'
import { Connection, type Place, type Seen } from './place.ts'
import { animalSteps } from './steps/animal-steps.ts'
import { asking } from './steps/asks.ts'
import { keySteps } from './steps/key-steps.ts'
import { officeSteps } from './steps/office-steps.ts'
import { endSteps } from './steps/time-steps.ts'

/** A node that counts alone for a moment, because the counters did not answer in time, is none that the model knows. */
const COUNTS_ALONE = /the shared counters do not work/

interface NodesOptions {
  readonly database: string
  readonly redis: TestRedis | undefined
  readonly nodes: number
  readonly args: readonly string[]
}

interface Node {
  service: RunningService
  readonly connection: Connection
}

class Nodes implements Place {
  readonly keysKeptMs = 5_000
  readonly #options: NodesOptions
  readonly #store: PostgresStore
  readonly #nodes: Node[] = []
  #turn = 0

  private constructor(options: NodesOptions, store: PostgresStore) {
    this.#options = options
    this.#store = store
  }

  static async open(options: NodesOptions): Promise<Nodes> {
    const nodes = new Nodes(options, await openPostgres(options.database, { serving: false, clock: patientClock }))
    for (let n = 0; n < options.nodes; n += 1) {
      const node: Node = { service: await nodes.#start(), connection: new Connection(() => node.service.port) }
      nodes.#nodes.push(node)
    }
    return nodes
  }

  nowMs(): number {
    return Date.now()
  }

  async operator(): Promise<Issuer> {
    return { store: this.#store, clock: patientClock, randomBytes, who: 'a history' }
  }

  async ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]> {
    this.#turn += 1
    const { connection, service } = this.#node
    const answers = await connection.ask(bytes, methods)
    fc.pre(!COUNTS_ALONE.test(service.output()))
    return answers
  }

  restart(): Promise<void> {
    return this.#again('SIGTERM')
  }

  crash(): Promise<void> {
    return this.#again('SIGKILL')
  }

  /** Nodes lose no count: they are in PostgreSQL or Redis. */
  async stored(): Promise<undefined> {}

  exported(after?: bigint): Promise<readonly string[]> {
    return animalsOf(this.#store, after)
  }

  /** Without times, which are those of the store's clock. */
  async seen(): Promise<Seen> {
    const { journal, keys, ...seen } = await seenIn(this.#store)
    return {
      ...seen,
      journal: journal.map(({ atMs: _, ...entry }) => entry),
      keys: keys.map(({ times: _, ...key }) => key),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { service, connection } of this.#nodes) {
      connection[Symbol.dispose]()
      service.process.kill('SIGKILL')
    }
    await this.#store.close()
    await this.#options.redis?.stop()
  }

  async #again(signal: NodeJS.Signals): Promise<void> {
    const node = this.#node
    node.connection[Symbol.dispose]()
    const ended = once(node.service.process, 'exit')
    node.service.process.ref() // nothing else may be waited for
    node.service.process.kill(signal)
    const [code] = (await ended) as [number | null]
    if (signal === 'SIGTERM' && code !== 0) throw new Finding(`a node ended with ${code}: ${node.service.output()}`)
    node.service = await this.#start()
  }

  get #node() {
    const node = this.#nodes[this.#turn % this.#nodes.length]
    if (node === undefined) throw new Error('there is no node')
    return node
  }

  #start(): Promise<RunningService> {
    const { database, redis, args } = this.#options
    const shared = redis === undefined ? [] : ['--counters', redis.url]
    return startService({ database, args: ['--trust-proxy', '127.0.0.1', ...shared, ...args] })
  }
}

/** By the system's clock nothing is drawn that ends within the time that an act takes. */
const LONG_MS = 3_600_000

const onNodes = [...asking, ...animalSteps, ...officeSteps, ...keySteps(LONG_MS), ...endSteps({ restart: 2, crash: 2 })]

/** On one PostgreSQL: one node, or with Redis two. Each history has a database and a Redis of its own. */
export async function playOnNodes(plan: Plan, engine: 'postgres' | 'cluster'): Promise<Played> {
  await using servers = new AsyncDisposableStack()
  const postgres = await startPostgres()
  servers.defer(() => postgres.stop())
  const settings = fc.record({
    startMs: fc.constant(0).map(() => Date.now()),
    anonymousPerMinute: fc.constantFrom(2, 5, 60),
    ban: fc.constantFrom(undefined, { refusals: 3, withinMs: 60_000, forMs: 4_000 }),
  })
  const open = async ({ anonymousPerMinute, ban }: Setting) =>
    Nodes.open({
      database: await postgres.createDatabase(),
      redis: engine === 'cluster' ? await startRedis() : undefined,
      nodes: engine === 'cluster' ? 2 : 1,
      args: settingsOf(anonymousPerMinute, ban).split(' '),
    })
  return await playAll(plan, { kinds: onNodes, settings, open })
}
