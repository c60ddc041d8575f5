/**
 * What is measured: this service from one or several checkouts, the peers, and bare node, each over SQLite. Databases
 * are built at the start, by each checkout's own import for the service; each server works on a synced copy.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { BUN, installOthers, FOLDER as OTHERS } from '../test/other-implementations/install.ts'
import { animal, csvOf } from './animals.ts'
import { keyHash, openPeerDatabase } from './peers/fastify.ts'
import type { RecordedBodies } from './peers/raw.ts'
import { withServer } from './server.ts'
import { type Answer, ask } from './verify.ts'
import { LIST20 } from './workloads.ts'

export const PROJECT = join(import.meta.dirname, '..')
const PEER = join(PROJECT, 'bench/peers/fastify.ts')
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
export const OTHER_NAMES = ['raw', 'peer', 'elysia']

/** The targets: these checkouts of the service, and these others by name, each with `animals` animals. */
export async function openTargets(
  checkouts: readonly string[],
  others: readonly string[],
  animals: number,
  folder: string,
): Promise<Target[]> {
  const targets: Target[] = []
  for (const checkout of checkouts.map((path) => resolve(path))) {
    const name = checkout === resolve(PROJECT) ? 'ours' : `ours in ${basename(checkout)}`
    const seed = await seedOf(serviceIn(checkout), animals, folder)
    targets.push({ name, title: 'this service, everything on', stores: true, seed })
  }
  const [ours] = targets
  if (others.includes('raw') && ours !== undefined) {
    const seed = await seedOfRaw(ours.seed, animals, folder)
    targets.push({ name: 'raw', title: 'bare node:http that sends the bytes of ours', stores: false, seed })
  }
  if (others.includes('peer')) {
    const title = 'Fastify + @fastify/rate-limit + node:sqlite, one commit per create'
    targets.push({ name: 'peer', title, stores: true, seed: await seedOf(peer, animals, folder) })
  }
  if (others.includes('elysia')) {
    const missing = await installOthers()
    if (missing !== undefined) throw new Error(`There is no Bun: ${missing}. Leave out elysia with --targets.`)
    const title = 'Elysia + bun:sqlite on Bun, one commit per create'
    targets.push({ name: 'elysia', title, stores: true, seed: await seedOf(elysia, animals, folder) })
  }
  return targets
}

interface Built {
  /** Makes a closed database file at `path` with animals 1 to `animals` and returns a key for it. */
  build(path: string, animals: number): Promise<string>
  argv(path: string): Launch['argv']
}

function serviceIn(root: string): Built {
  const cli = join(root, 'src/cli/pets.js')
  const pets = async (...argv: string[]) => (await promisify(execFile)(process.execPath, [cli, ...argv])).stdout
  return {
    async build(path, animals) {
      const database = ['--database', `sqlite:${path}`]
      const csv = `${path}.csv`
      await writeFile(csv, csvOf(animals))
      // Versions up to 1.1.0 have no --create: their import creates the database.
      const create = (await pets('import', '--help')).includes('--create') ? ['--create'] : []
      await pets('import', csv, ...create, ...database)
      const limits = ['--per-minute', REQUESTS, '--per-day', REQUESTS]
      return JSON.parse(await pets('keys', 'create', '--plan', 'enterprise', ...limits, ...database, '--json')).key
    },
    argv: (path) => [process.execPath, cli, 'serve', '--database', `sqlite:${path}`, '--log-level', 'info'],
  }
}

const peer: Built = {
  async build(path, animals) {
    const key = randomBytes(32).toString('base64url')
    const database = openPeerDatabase(path)
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
  argv: (path) => [process.execPath, PEER, '--database', path],
}

/** Uses the same database as the Fastify peer. */
const elysia: Built = { ...peer, argv: (path) => [BUN, join(OTHERS, 'elysia.js'), '--database', path] }

async function seedOf({ build, argv }: Built, animals: number, work: string): Promise<Seed> {
  const path = join(await mkdtemp(join(work, 'seed-')), 'pets.db')
  const key = await build(path, animals)
  return {
    key,
    async launch() {
      const folder = await mkdtemp(join(work, 'server-'))
      const copy = join(folder, 'pets.db')
      await copySynced(path, copy)
      return { argv: argv(copy), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
    },
  }
}

/** Copies and syncs a file, so that the kernel does not write its pages back during the measurement. */
async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await using file = await open(to, 'r')
  await file.sync()
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
  const argv: Launch['argv'] = [process.execPath, join(PROJECT, 'bench/peers/raw.ts'), '--bodies', path]
  return { key: ours.key, launch: async () => ({ argv, [Symbol.asyncDispose]: async () => {} }) }
}
