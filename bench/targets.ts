/**
 * What is measured: this service from one or several checkouts, the peers, and bare node, on one engine. Databases are
 * built at the start, by each checkout's own import for the service; each server works on a synced copy.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { animal, csvOf } from './animals.ts'
import { type Engine, pathOf } from './engines.ts'
import { keyHash, openPeerDatabase } from './peers/fastify.ts'
import { fillPeerPostgres } from './peers/fastify-postgres.ts'
import type { RecordedBodies } from './peers/raw.ts'
import { withServer } from './server.ts'
import { type Answer, ask } from './verify.ts'
import { LIST20 } from './workloads.ts'

export const PROJECT = join(import.meta.dirname, '..')
const PEERS = join(PROJECT, 'bench/peers')
/** A limit that no run reaches. */
const REQUESTS = '1000000000'

/** How to start one server; `--port N` is added to `argv`. Disposing of it deletes its data. */
interface Launch extends AsyncDisposable {
  readonly argv: readonly [program: string, ...args: string[]]
}

/** A database with the animals, and a key whose limits no run reaches. */
export interface Seed {
  readonly key: string
  /** A server on a fresh copy of these animals, so that runs do not affect each other. */
  launch(): Promise<Launch>
}

export interface Target {
  readonly name: string
  readonly title: string
  /** Whether it stores animals. `raw` does not: it sends prepared bytes, so only their shape is checked. */
  readonly stores: boolean
  /** The database with animals 1 to `animals`. */
  readonly seed: Seed
}

/** The peers and bare node, by name, in the order of the tables. */
export const OTHER_NAMES = ['raw', 'peer']

/** The targets: these checkouts of the service, and these others by name, each with `animals` animals. */
export async function openTargets(
  checkouts: readonly string[],
  others: readonly string[],
  animals: number,
  engine: Engine,
  folder: string,
): Promise<Target[]> {
  const isSqlite = engine.options.length === 0
  const targets: Target[] = []
  for (const checkout of checkouts.map((path) => resolve(path))) {
    const name = checkout === resolve(PROJECT) ? 'ours' : `ours in ${basename(checkout)}`
    const seed = await seedOf(serviceIn(checkout, engine, folder), animals, engine)
    targets.push({ name, title: 'this service, everything on', stores: true, seed })
  }
  const [ours] = targets
  if (others.includes('raw') && ours !== undefined) {
    const seed = await seedOfRaw(ours.seed, animals, folder)
    targets.push({ name: 'raw', title: 'bare node:http that sends the bytes of ours', stores: false, seed })
  }
  if (others.includes('peer')) {
    const stack = isSqlite ? '@fastify/rate-limit + node:sqlite' : '@fastify/rate-limit in Redis + pg'
    const built = isSqlite ? peer : peerOnServers(engine)
    const title = `Fastify + ${stack}, one commit per create`
    targets.push({ name: 'peer', title, stores: true, seed: await seedOf(built, animals, engine) })
  }
  return targets
}

interface Built {
  /** Makes a database at this address with animals 1 to `animals`, closes it, and returns a key for it. */
  build(address: string, animals: number): Promise<string>
  argv(address: string): Launch['argv']
}

function serviceIn(root: string, engine: Engine, folder: string): Built {
  const cli = join(root, 'src/cli/pets.js')
  const pets = async (...argv: string[]) => (await promisify(execFile)(process.execPath, [cli, ...argv])).stdout
  return {
    async build(address, animals) {
      const database = ['--database', address]
      const csv = join(folder, 'animals.csv')
      await writeFile(csv, csvOf(animals))
      // Versions up to 1.1.0 have no --create: their import creates the database.
      const create = (await pets('import', '--help')).includes('--create') ? ['--create'] : []
      await pets('import', csv, ...create, ...database)
      const limits = ['--per-minute', REQUESTS, '--per-day', REQUESTS]
      return JSON.parse(await pets('keys', 'create', '--plan', 'enterprise', ...limits, ...database, '--json')).key
    },
    argv: (address) => {
      const serve = ['serve', '--database', address, ...engine.options, '--log-level', 'info']
      return [process.execPath, cli, ...serve]
    },
  }
}

const peer: Built = {
  async build(address, animals) {
    const key = randomBytes(32).toString('base64url')
    const database = openPeerDatabase(pathOf(address))
    const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
    database.exec('BEGIN')
    for (let id = 1; id <= animals; id++) {
      const { name, categoryId, status } = animal(id)
      insert.run(name, categoryId, status ?? null)
    }
    database.prepare('INSERT INTO api_keys (id, hash) VALUES (?, ?)').run('bench', keyHash(key))
    database.exec('COMMIT')
    database.close()
    return key
  },
  argv: (address) => [process.execPath, join(PEERS, 'fastify.ts'), '--database', pathOf(address)],
}

function peerOnServers({ options }: Engine): Built {
  return {
    async build(address, animals) {
      const key = randomBytes(32).toString('base64url')
      const added = Array.from({ length: animals }, (_, n) => animal(n + 1))
      await fillPeerPostgres(address, key, added)
      return key
    },
    argv: (address) => [process.execPath, join(PEERS, 'fastify-postgres.ts'), '--database', address, ...options],
  }
}

async function seedOf({ build, argv }: Built, animals: number, engine: Engine): Promise<Seed> {
  const address = await engine.create()
  const key = await build(address, animals)
  return {
    key,
    async launch() {
      const copy = await engine.copy(address)
      return { argv: argv(copy.address), [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() }
    },
  }
}

/** Records the bodies that `raw` sends from the service, over the same animals, so that both send the same bytes. */
async function seedOfRaw(ours: Seed, animals: number, work: string): Promise<Seed> {
  const path = join(work, 'raw.json')
  const pin = (argv: Launch['argv']) => argv
  await withServer(ours, pin, async (server) => {
    const pet = await ask(server, { method: 'GET', target: `/v1/pets/${Math.ceil(animals / 2)}`, body: '' })
    /** The deprecation headers of an animal's path, so that `raw` sends the same bytes there too. */
    const deprecation = ({ headers }: Answer) => ['sunset', 'link'].flatMap((name) => [name, headers.get(name) ?? ''])
    const bodies: RecordedBodies = {
      list: (await ask(server, LIST20)).text,
      pet: pet.text,
      petHeaders: deprecation(pet),
      created: (await ask(server, { method: 'POST', target: '/v1/pets', body: '{"name":"Newcomer","categoryId":20}' }))
        .text,
    }
    await writeFile(path, JSON.stringify(bodies))
  })
  const argv: Launch['argv'] = [process.execPath, join(PEERS, 'raw.ts'), '--bodies', path]
  return { key: ours.key, launch: async () => ({ argv, [Symbol.asyncDispose]: async () => {} }) }
}
