/**
 * What is measured: this service from one or several checkouts, the peer, and bare node, on one engine. Databases are
 * built at the start, by each checkout's own import for the service; each server works on a synced copy.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { animals } from './animals.ts'
import type { Engine } from './engines.ts'
import type { RecordedBodies } from './peers/raw.ts'
import { type Argv, type Seed, withServer } from './server.ts'
import { ask, LIST20, NEWCOMER } from './verify.ts'

export const PROJECT = join(import.meta.dirname, '..')
/** The peer and bare node, in the order of the table. */
export const OTHER_NAMES = ['raw', 'peer']
const PEERS = join(PROJECT, 'bench/peers')
/** A limit that no run reaches. */
const REQUESTS = '1000000000'

export interface Target {
  readonly name: string
  /** Whether it stores animals. `raw` does not: it sends prepared bytes, so only their shape is checked. */
  readonly stores: boolean
  readonly seed: Seed
}

/** The targets: these checkouts of the service, and these others by name, each with `count` animals. */
export async function openTargets(
  checkouts: readonly string[],
  others: readonly string[],
  count: number,
  engine: Engine,
  folder: string,
): Promise<Target[]> {
  const targets: Target[] = []
  const csv = join(folder, 'animals.csv')
  const rows = animals(count).map(({ name, categoryId, status = '' }) => `${name},${categoryId},${status}\n`)
  await writeFile(csv, `name,categoryId,status\n${rows.join('')}`)
  for (const checkout of checkouts.map((path) => resolve(path))) {
    const name = checkout === resolve(PROJECT) ? 'ours' : `ours in ${basename(checkout)}`
    targets.push({ name, stores: true, seed: await seedOf(serviceIn(checkout, engine, csv), engine) })
  }
  const [ours] = targets
  if (others.includes('raw') && ours !== undefined) {
    targets.push({ name: 'raw', stores: false, seed: await seedOfRaw(ours.seed, count, folder) })
  }
  if (others.includes('peer')) {
    targets.push({ name: 'peer', stores: true, seed: await seedOf(peer(engine, count), engine) })
  }
  return targets
}

interface Built {
  /** Makes a database at this address, closes it, and returns a key for it. */
  build(address: string): Promise<string>
  argv(address: string): Argv
}

function serviceIn(root: string, engine: Engine, csv: string): Built {
  const cli = join(root, 'src/cli/pets.js')
  const pets = async (...argv: string[]) => (await promisify(execFile)(process.execPath, [cli, ...argv])).stdout
  return {
    async build(address) {
      const database = ['--database', address]
      await pets('import', csv, '--create', ...database)
      const limits = ['--per-minute', REQUESTS, '--per-day', REQUESTS]
      return JSON.parse(await pets('keys', 'create', '--plan', 'enterprise', ...limits, ...database, '--json')).key
    },
    argv: (address) => [process.execPath, cli, 'serve', '--database', address, ...engine.options],
  }
}

function peer({ options }: Engine, count: number): Built {
  const key = 'a-key-that-only-the-benchmark-uses'
  const fastify = join(PEERS, 'fastify.ts')
  return {
    async build(address) {
      await promisify(execFile)(process.execPath, [fastify, '--database', address, '--fill', `${count}`, '--key', key])
      return key
    },
    argv: (address) => [process.execPath, fastify, '--database', address, ...options],
  }
}

async function seedOf({ build, argv }: Built, engine: Engine): Promise<Seed> {
  const address = await engine.create()
  return { key: await build(address), launch: async () => argv(await engine.copy(address)) }
}

/** Records the bodies that `raw` sends from the service, over the same animals, so that both send the same bytes. */
async function seedOfRaw(ours: Seed, count: number, folder: string): Promise<Seed> {
  const path = join(folder, 'raw.json')
  await withServer(ours, async (server) => {
    const pet = await ask(server, `/v1/pets/${Math.ceil(count / 2)}`)
    const bodies: RecordedBodies = {
      list: (await ask(server, LIST20)).text,
      pet: pet.text,
      // The deprecation headers of an animal's path, so that `raw` sends the same bytes there too.
      petHeaders: ['sunset', 'link'].flatMap((name) => [name, pet.headers.get(name) ?? '']),
      created: (await ask(server, '/v1/pets', NEWCOMER)).text,
    }
    await writeFile(path, JSON.stringify(bodies))
  })
  return { key: ours.key, launch: async () => [process.execPath, join(PEERS, 'raw.ts'), '--bodies', path] }
}
