/**
 * The targets on the embedded engine: this service over a SQLite file, the peers over one, and the bare runtimes.
 * Databases are built once, by the service's own import for the service, and kept in the cache for as long as the code
 * that made them stays the same; each server works on a synced copy.
 */
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { headCommit } from '../scripts/release/tree.ts'
import { makeRelease } from '../scripts/release.ts'
import { BUN, installOthers, FOLDER as OTHERS } from '../test/other-implementations/install.ts'
import { animal, writeCsv } from './animals.ts'
import type { Pin } from './machine.ts'
import { NODE_RUNTIME, rawTargets } from './raw-target.ts'
import type { Engine, EngineOptions, Launch, Seed, Target } from './target.ts'
import { openPeerDatabase } from './targets/fastify-peer.ts'
import { keyHash } from './targets/peer.ts'

const PROJECT = join(import.meta.dirname, '..')
const CLI = join(PROJECT, 'src/cli/pets.js')
const PEER = join(PROJECT, 'bench/targets/fastify-peer.ts')
/** So high that no run comes near it. */
const REQUESTS_PER_MINUTE = 1_000_000_000
const REQUESTS_PER_DAY = 1_000_000_000

const execute = promisify(execFile)

/** A word that changes with the code of these files, and of all in these folders. */
function fingerprint(...paths: string[]): string {
  const hash = createHash('sha256')
  for (const path of [join(PROJECT, 'bench/animals.ts'), ...paths]) {
    const folder = path.endsWith('.ts') ? undefined : readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
    const files = folder?.filter((name) => name.endsWith('.ts')).map((name) => join(path, name)) ?? [path]
    for (const file of files) hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 12)
}

/**
 * A virtual machine's disk goes on writing after a sync has returned: for seconds after a copy of 430 MB even lists
 * from memory came at half their rate.
 */
const LARGE_COPY_BYTES = 64 << 20
const SETTLE_MS = 12_000

/** A synced copy, so that no write-back of its own pages falls into the measurement. */
async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const file = await open(to, 'r')
  await file.sync()
  const { size } = await file.stat()
  await file.close()
  if (size > LARGE_COPY_BYTES) await sleep(SETTLE_MS)
}

interface Built {
  readonly name: string
  readonly version: string
  /** Makes a closed database file at `path` with animals 1 to `animals` and returns a key for it. */
  build(path: string, animals: number): Promise<string>
  argv(path: string): Launch['argv']
}

/** A seed from the cache, or built into it. A database lies there under its final name only when it is whole. */
async function cachedSeed(target: Built, animals: number, options: EngineOptions): Promise<Seed> {
  const { cacheFolder, workFolder } = options
  const prefix = `${target.name}-${animals}-`
  const path = join(cacheFolder, `${prefix}${target.version}.db`)
  const keyPath = `${path}.key`
  if (!existsSync(path)) {
    const outdated = (await readdir(cacheFolder)).filter((name) => name.startsWith(prefix))
    await Promise.all(outdated.map((name) => rm(join(cacheFolder, name))))
    const unfinished = join(workFolder, `${prefix}unfinished.db`)
    await writeFile(keyPath, await target.build(unfinished, animals))
    await rename(unfinished, path)
  }
  const key = readFileSync(keyPath, 'utf8')
  return {
    key,
    async launch(): Promise<Launch> {
      const folder = await mkdtemp(join(workFolder, `${target.name}-`))
      const copy = join(folder, 'pets.db')
      await copySynced(path, copy)
      const database = `sqlite:${copy}`
      return { argv: target.argv(copy), nodes: 1, database, discard: () => rm(folder, { recursive: true }) }
    },
  }
}

async function pets(...argv: string[]): Promise<string> {
  return (await execute(process.execPath, [CLI, ...argv])).stdout
}

const serve = (path: string) => ['serve', '--database', `sqlite:${path}`, '--log-level', 'info']

const service: Built = {
  name: 'ours',
  version: fingerprint(join(PROJECT, 'src/store/sqlite'), join(PROJECT, 'src/domain')),
  async build(path, animals) {
    const database = ['--database', `sqlite:${path}`]
    const csv = `${path}.csv`
    await writeCsv(csv, animals)
    await pets('import', csv, ...database)
    await rm(csv)
    const limits = ['--per-minute', String(REQUESTS_PER_MINUTE), '--per-day', String(REQUESTS_PER_DAY)]
    const created = JSON.parse(await pets('keys', 'create', '--plan', 'enterprise', ...limits, ...database, '--json'))
    return created.key
  },
  argv: (path) => [process.execPath, CLI, ...serve(path)],
}

const peer: Built = {
  name: 'peer',
  version: fingerprint(PEER),
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

/** The same database as the other peer's. */
const elysia: Built = {
  ...peer,
  name: 'elysia',
  argv: (path) => [BUN, join(OTHERS, 'elysia.js'), '--database', path],
}

const BUN_RUNTIME = {
  name: 'raw-bun',
  title: 'bare Bun.serve',
  argv: [BUN, join(PROJECT, 'bench/targets/raw-bun.ts')],
} as const

function stored(built: Built, title: string, options: EngineOptions): Target {
  const seeds = new Map<number, Promise<Seed>>()
  return {
    name: built.name,
    title,
    stores: true,
    nodes: 1,
    seed: (animals) => seeds.getOrInsertComputed(animals, () => cachedSeed(built, animals, options)),
  }
}

/** Made when it is first needed, from the last commit. */
function released(options: EngineOptions): Target {
  const folder = join(options.workFolder, 'release')
  async function make(animals: number): Promise<Seed> {
    await makeRelease(folder, await headCommit())
    const file = (await readdir(folder)).find((name) => name.endsWith(`-${process.platform}-${process.arch}`))
    if (file === undefined) throw new Error(`The release in ${folder} has no executable.`)
    const program = join(folder, file)
    return cachedSeed(
      { ...service, argv: (path) => [program, ...serve(path), '--first-key', '--pages'] },
      animals,
      options,
    )
  }
  const seeds = new Map<number, Promise<Seed>>()
  return {
    name: 'executable',
    title: 'this service as the one file of a release, with --first-key --pages',
    stores: true,
    nodes: 1,
    seed: (animals) => seeds.getOrInsertComputed(animals, () => make(animals)),
  }
}

export async function openSqliteEngine(options: EngineOptions, pin: Pin): Promise<Engine> {
  const { names, cacheFolder, workFolder } = options
  if (names.includes(elysia.name) || names.includes(BUN_RUNTIME.name)) {
    const missing = await installOthers()
    if (missing !== undefined)
      throw new Error(`There is no Bun to compare with: ${missing}. Leave out raw-bun and elysia with --targets.`)
  }
  await mkdir(cacheFolder, { recursive: true })
  const ours = stored(service, 'this service, everything on, one SQLite file', options)
  const fastify = stored(peer, 'Fastify + @fastify/rate-limit + node:sqlite, one commit per create', options)
  const onBun = stored(elysia, 'Elysia + bun:sqlite, one commit per create', options)
  const storing = [ours, fastify, onBun].filter(({ name }) => names.includes(name))
  const raw = [NODE_RUNTIME, BUN_RUNTIME].filter(({ name }) => names.includes(name))
  return {
    targets: [...storing, ...rawTargets(raw, storing[0] ?? ours, workFolder)],
    ...(names.includes('ours') && { executable: released(options) }),
    async importSeconds(csv) {
      const folder = await mkdtemp(join(workFolder, 'import-'))
      const [command, ...argv] = pin([process.execPath, CLI, 'import', csv, '--database', `sqlite:${folder}/pets.db`])
      const startMs = performance.now()
      const child = spawn(command, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = await once(child, 'exit')
      const seconds = (performance.now() - startMs) / 1000
      await rm(folder, { recursive: true })
      if (code !== 0) throw new Error(`The import of ${csv} failed with exit code ${code}.`)
      return seconds
    },
    close: () => Promise.resolve(),
  }
}
