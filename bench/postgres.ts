/**
 * The targets on PostgreSQL and Redis: this service as one node and as two, one node that counts in PostgreSQL, the
 * Fastify peer, and the bare runtime. One durable PostgreSQL and one Redis serve them all, on any core; each server
 * works on a fresh copy of its database.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { startRedis } from '../test/support/servers/redis.ts'
import { startSlowLink } from '../test/support/servers/slow-link.ts'
import { animal, writeCsv } from './animals.ts'
import type { Pin } from './machine.ts'
import { NODE_RUNTIME, rawTargets } from './raw-target.ts'
import type { Engine, EngineOptions, Launch, Seed, Target } from './target.ts'
import { PEER_TABLES } from './targets/postgres-peer.ts'

const PROJECT = join(import.meta.dirname, '..')
const CLI = join(PROJECT, 'src/cli/pets.js')
const PEER = join(PROJECT, 'bench/targets/postgres-peer.ts')
/** So high that no run comes near it. */
const REQUESTS = '1000000000'

const execute = promisify(execFile)

async function pets(...argv: string[]): Promise<string> {
  return (await execute(process.execPath, [CLI, ...argv])).stdout
}

export async function openPostgresEngine({ names, workFolder }: EngineOptions, pin: Pin): Promise<Engine> {
  const postgres = await startPostgres({ fsync: 'on', shared_buffers: '256MB' })
  const redis = await startRedis()
  unpin([postgres.pid, redis.pid], pin)

  /** `build` fills an empty database with animals 1 to `animals` and resolves to a key for it. */
  function target(
    name: string,
    title: string,
    build: (url: string, animals: number) => Promise<string>,
    argv: (url: string) => string[],
    nodes = 1,
  ): Target {
    const seeds = new Map<number, Promise<Seed>>()
    const seed = async (animals: number): Promise<Seed> => {
      const original = await postgres.createDatabase()
      const key = await build(original, animals)
      return {
        key,
        async launch(): Promise<Launch> {
          const url = await postgres.createDatabase(original)
          return { argv: [process.execPath, ...argv(url)], nodes, discard: () => postgres.dropDatabase(url) }
        },
      }
    }
    return {
      name,
      title,
      stores: true,
      nodes,
      seed: (animals) => seeds.getOrInsertComputed(animals, () => seed(animals)),
    }
  }

  const serve = (url: string) => [CLI, 'serve', '--database', url, '--log-level', 'info']
  const counters = ['--counters', redis.url]
  const serveCounting = (url: string) => [...serve(url), ...counters]
  const build = (url: string, animals: number) => buildOurs(url, animals, workFolder)
  const ours = target('ours', 'this service, everything on, one node, counters in Redis', build, serveCounting)
  const two = target('ours-two-nodes', 'two such nodes, half of the connections each', build, serveCounting, 2)
  const three = target('ours-three-nodes', 'three such nodes, a third each', build, serveCounting, 3)
  const plain = target('ours-without-redis', 'the same, counters in PostgreSQL', build, serve)
  const servePeer = (url: string) => [PEER, '--database', url, ...counters]
  const peer = target('peer', 'Fastify + pg + @fastify/rate-limit on Redis, a query a request', buildPeer, servePeer)
  const storing = [ours, two, three, plain, peer].filter(({ name }) => names.includes(name))
  const raw = names.includes(NODE_RUNTIME.name) ? rawTargets([NODE_RUNTIME], storing[0] ?? ours, workFolder) : []

  return {
    targets: [...storing, ...raw],
    async far(delayMs) {
      const link = await startSlowLink(postgres.port, delayMs / 2)
      const away = (url: string) => url.replace(`:${postgres.port}/`, `:${link.port}/`)
      const ourFar = target('ours', ours.title, build, (url) => serveCounting(away(url)))
      const peerFar = target('peer', peer.title, buildPeer, (url) => servePeer(away(url)))
      return { targets: [ourFar, peerFar], [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() }
    },
    async importSeconds(csv) {
      const url = await postgres.createDatabase()
      const [command, ...argv] = pin([process.execPath, CLI, 'import', csv, '--database', url])
      const startMs = performance.now()
      const child = spawn(command, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = await once(child, 'exit')
      const seconds = (performance.now() - startMs) / 1000
      await postgres.dropDatabase(url)
      if (code !== 0) throw new Error(`The import of ${csv} failed with exit code ${code}.`)
      return seconds
    },
    async close() {
      await Promise.all([postgres.stop(), redis.stop()])
    },
  }
}

/** Children are born on the load's core, like this process; the databases may use any. */
function unpin(pids: readonly number[], pin: Pin): void {
  const [taskset, , cores] = pin(['true'])
  if (taskset !== 'taskset' || cores === undefined) return
  for (const pid of pids) execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)])
}

/** Fills an empty database of ours and resolves to a key for it. */
async function buildOurs(url: string, animals: number, workFolder: string): Promise<string> {
  const csv = join(workFolder, `postgres-${animals}.csv`)
  await writeCsv(csv, animals)
  await pets('import', csv, '--database', url)
  await rm(csv)
  const limits = ['--per-minute', REQUESTS, '--per-day', REQUESTS]
  const created = JSON.parse(
    await pets('keys', 'create', '--plan', 'enterprise', ...limits, '--database', url, '--json'),
  )
  return created.key
}

/** The same for the peer. */
async function buildPeer(url: string, animals: number): Promise<string> {
  const key = randomBytes(32).toString('base64url')
  const client = new Client(url)
  await client.connect()
  await client.query(PEER_TABLES)
  const all = Array.from({ length: animals }, (_, index) => animal(index + 1))
  await client.query(
    'INSERT INTO pets (name, category_id, status) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])',
    [all.map(({ name }) => name), all.map(({ categoryId }) => categoryId), all.map(({ status }) => status ?? null)],
  )
  await client.query("INSERT INTO api_keys VALUES ('bench', $1)", [hash('sha256', key)])
  await client.end()
  return key
}
