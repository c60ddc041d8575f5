/**
 * Nodes of their own on one PostgreSQL, with Redis or without, and the commands of `pets`, all of them real processes
 * by the system's clock. The requests of a history go to the nodes in turn.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Changes } from '../model/operator.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { RawAnswer } from '../support/http.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { startRedis, type TestRedis } from '../support/servers/redis.ts'
import { type CommandResult, pets, type RunningService, startService } from '../support/service.ts'
import { type Plan, type Played, playAll, type Setting, settingsOf } from './histories.ts'
import { Finding } from './history.ts'
import {
  Connection,
  flagsOf,
  type ImportOptions,
  type KeyRequest,
  type NewKey,
  type Operator,
  type Place,
  type Seen,
  type SeenEntry,
  type SeenKey,
} from './place.ts'
import { animalSteps } from './steps/animal-steps.ts'
import { asking } from './steps/asks.ts'
import { keySteps } from './steps/key-steps.ts'
import { endSteps } from './steps/time-steps.ts'

/** A node that counts alone for a moment, because the counters did not answer in time, is none that the model knows. */
const COUNTS_ALONE = /the shared counters do not count/
const MOST = '1000000'

interface NodesOptions {
  readonly database: string
  /** For the counters of this history; it ends with it. */
  readonly redis: TestRedis | undefined
  readonly nodes: number
  /** More arguments of `pets serve`. */
  readonly args: readonly string[]
}

interface Node {
  service: RunningService
  readonly connection: Connection
}

class Nodes implements Place, Operator {
  readonly keysKeptMs = 5_000
  readonly #options: NodesOptions
  readonly #nodes: Node[] = []
  readonly #folder = temporaryFolder()
  #turn = 0

  private constructor(options: NodesOptions) {
    this.#options = options
  }

  static async open(options: NodesOptions): Promise<Nodes> {
    const nodes = new Nodes(options)
    for (let n = 0; n < options.nodes; n += 1) {
      const node: Node = { service: await nodes.#start(), connection: new Connection(() => node.service.port) }
      nodes.#nodes.push(node)
    }
    return nodes
  }

  nowMs(): number {
    return Date.now()
  }

  async operator(): Promise<Operator> {
    return this
  }

  async ask(bytes: string, methods: readonly string[]): Promise<readonly RawAnswer[]> {
    this.#turn += 1
    const { connection, service } = this.#node
    const answers = await connection.ask(bytes, methods)
    fc.pre(!COUNTS_ALONE.test(service.output()))
    return answers
  }

  async change(ids: readonly bigint[], { name, categoryId, status }: Changes): Promise<boolean> {
    if (status !== undefined) return this.#isDone('set-status', status ?? 'none', ...ids.map(String))
    const options = [
      ...(name === undefined ? [] : ['--name', name]),
      ...(categoryId === undefined ? [] : [`--category=${categoryId}`]),
    ]
    return this.#isDone('edit', ...ids.map(String), ...options)
  }

  remove(ids: readonly bigint[]): Promise<boolean> {
    return this.#isDone('remove', ...ids.map(String))
  }

  restore(ids: readonly bigint[]): Promise<boolean> {
    return this.#isDone('restore-animal', ...ids.map(String))
  }

  async issue({ plan, custom, label, expiresAtMs }: KeyRequest): Promise<NewKey> {
    const { stdout } = await this.#run(
      ...['keys', 'create', '--create', '--json', '--plan', plan, '--label', label],
      ...(custom === undefined ? [] : ['--per-minute', `${custom.perMinute}`, '--per-day', `${custom.perDay}`]),
      ...(expiresAtMs === undefined ? [] : ['--expires', new Date(expiresAtMs).toISOString()]),
    )
    return newKeyOf(stdout)
  }

  async rotate(id: string, overlapMs: number, again: boolean): Promise<NewKey | undefined> {
    const options = ['--json', '--overlap', `${overlapMs / 1_000}`, ...(again ? ['--again'] : [])]
    const { code, stdout } = await this.#run('keys', 'rotate', id, ...options)
    return code === 0 ? newKeyOf(stdout) : undefined
  }

  revoke(id: string): Promise<boolean> {
    return this.#isDone('keys', 'revoke', id)
  }

  async importCsv(csv: string, source: string, options: ImportOptions): Promise<bigint | undefined> {
    const file = `${this.#folder}/${source}`
    writeFileSync(file, csv)
    const { code, stderr } = await this.#run('import', file, ...flagsOf(options))
    const n = /imports undo (\d+)/.exec(stderr)?.[1]
    return code === 0 && n !== undefined ? BigInt(n) : undefined
  }

  async undo(n: bigint): Promise<{ readonly removed: number; readonly kept: number } | undefined> {
    const { code, stdout } = await this.#run('imports', 'undo', String(n))
    const [, removed, kept = '0'] = /: (\d+) animals? removed(?:; (\d+) animals? changed)?/.exec(stdout) ?? []
    return code === 0 ? { removed: Number(removed), kept: Number(kept) } : undefined
  }

  restart(): Promise<void> {
    return this.#again('SIGTERM')
  }

  crash(): Promise<void> {
    return this.#again('SIGKILL')
  }

  /** Nodes lose no count: they are in PostgreSQL or Redis. */
  async stored(): Promise<undefined> {}

  async exported(after?: bigint): Promise<readonly string[]> {
    const { stdout } = await this.#run('export')
    return linesOf(stdout).filter((line) => BigInt(/"id":(\d+)/.exec(line)?.[1] ?? 0) > (after ?? 0n))
  }

  async seen(): Promise<Seen> {
    const journal = await this.#run('journal', '--json', '--limit', MOST)
    const keys = await this.#run('keys', 'list', '--json')
    return {
      animals: await this.exported(),
      // No step of a history exports: these entries are of looks at what is there.
      journal: linesOf(journal.stdout)
        .reverse()
        .map(entryOf)
        .filter(({ act }) => act !== 'export'),
      keys: linesOf(keys.stdout).map(keyOf),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { service, connection } of this.#nodes) {
      connection[Symbol.dispose]()
      service.process.kill('SIGKILL')
    }
    await this.#options.redis?.stop()
  }

  /** Ends one node, and starts another in its place. */
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

  async #isDone(...args: readonly string[]): Promise<boolean> {
    return (await this.#run(...args)).code === 0
  }

  async #run(...args: readonly string[]): Promise<CommandResult> {
    const result = await pets([...args, '--database', this.#options.database])
    const { code, stderr } = result
    if (code !== 0 && code !== 1) throw new Finding(`pets ${args.join(' ')} ended with ${code}: ${stderr}`)
    return result
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

function newKeyOf(stdout: string): NewKey {
  const { id, key } = JSON.parse(stdout) as { id: string; key: string }
  return { id, secret: key }
}

function entryOf(line: string): SeenEntry {
  const { act, animal, key, from, to } = JSON.parse(line) as SeenEntry
  return { act, animal, key, from, to }
}

function keyOf(line: string): SeenKey {
  const { state, ...key } = JSON.parse(line) as SeenKey & { state: string }
  const { id, plan, perMinute, perDay, label } = key
  return { id, plan, perMinute, perDay, label, isRevoked: state === 'revoked' }
}

/** By the system's clock nothing is drawn that ends within the time that a command takes. */
const LONG_MS = 3_600_000

const onNodes = [...asking, ...animalSteps, ...keySteps(LONG_MS), ...endSteps({ restart: 2, crash: 2 })]

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
