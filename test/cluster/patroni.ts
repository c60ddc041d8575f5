/**
 * Three PostgreSQL under Patroni, of Debian's packages: the PostgreSQL of the other tests lacks pg_rewind and
 * pg_basebackup.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { findProgram, skipUnless } from '../support/programs.ts'
import { notAsRoot } from '../support/servers/servers.ts'
import type { Door } from './doors.ts'
import type { Mode } from './history.ts'
import type { Program } from './program.ts'
import { MACHINES, type Machine, PASSWORDS, type Site } from './site.ts'

const program = findProgram('patroni')
/** Debian's, whichever version it has. */
const [postgres] = globSync('/usr/lib/postgresql/*/bin/pg_rewind').map(dirname)

/** For `test({ ...patroniNeeded })`. */
export const patroniNeeded = skipUnless(
  program !== undefined && postgres !== undefined,
  'there is no patroni on the path, or no PostgreSQL in /usr/lib/postgresql; install patroni and postgresql',
)

/**
 * Before 3.0.3 a Patroni on etcd that was frozen for longer than its lease takes the leader's lock back from whoever
 * has it now, and makes the others follow: what they acknowledged in the meantime is gone (its pull request 2689). Such
 * a leader has to be fenced.
 */
export const forgetsLease = program !== undefined && isBefore(versionOf(program), [3, 0, 3])

function versionOf(program: string): readonly number[] {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return (/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number)
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== other[index])
  return at !== -1 && (version[at] ?? 0) < (other[at] ?? 0)
}

/** What a leader reports about a follower. */
interface Follower {
  /** `streaming` if it has caught up. */
  readonly state: string
  /** `sync` for the one that commits wait for. */
  readonly sync_state: string
}

interface Database {
  readonly machine: Machine
  readonly program: Program
  /** All connections of this server except the replication stream that it reads as a replica. */
  readonly doors: readonly Door[]
}

export class Patroni {
  readonly databases: readonly Database[]
  readonly #site: Site

  private constructor(site: Site, databases: readonly Database[]) {
    this.#site = site
    this.databases = databases
  }

  static async start(site: Site, mode: Mode): Promise<Patroni> {
    const databases = await Promise.all(MACHINES.map((machine) => startDatabase(site, machine, mode)))
    return new Patroni(site, databases)
  }

  /** The server that accepts writes, by its own report. */
  async leader(): Promise<Database | undefined> {
    for (const database of this.databases) {
      if ((await this.#ask(database, '/primary')) !== undefined) return database
    }
    return undefined
  }

  /** One leader, two replicas that follow it and, if commits wait for one, a synchronous replica. */
  async isWhole(mode: Mode): Promise<boolean> {
    const leader = await this.leader()
    const { replication = [] } = (leader && (await this.#ask(leader, '/patroni'))) ?? {}
    const streaming = replication.filter(({ state }) => state === 'streaming')
    const hasStandby = mode === 'asynchronous' || streaming.some(({ sync_state }) => sync_state === 'sync')
    return streaming.length === MACHINES.length - 1 && hasStandby
  }

  /** Asks Patroni behind its doors; undefined if it does not answer, or says no. */
  async #ask({ machine }: Database, path: string): Promise<{ readonly replication?: readonly Follower[] } | undefined> {
    const url = `http://${this.#site.inside(machine)}:${this.#site.port('patroni')}${path}`
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
      const status = (await response.json()) as { replication?: Follower[] }
      return response.ok ? status : undefined
    } catch {
      return undefined
    }
  }

  /** A role and a database of ours, as deploy/ha/README.md makes them. */
  async createDatabase(): Promise<void> {
    const leader = await this.leader()
    if (leader === undefined) throw new Error('there is no leader')
    const client = new Client({
      host: this.#site.inside(leader.machine),
      port: this.#site.port('postgres'),
      user: 'postgres',
      password: PASSWORDS.SUPERUSER_PASSWORD,
      database: 'postgres',
    })
    await client.connect()
    await client.query(`CREATE ROLE pets LOGIN PASSWORD '${PASSWORDS.PETS_PASSWORD}'`)
    await client.query('CREATE DATABASE pets OWNER pets')
    await client.end()
  }
}

async function startDatabase(site: Site, machine: Machine, mode: Mode): Promise<Database> {
  const between = (service: 'postgres' | 'patroni') =>
    site.open(
      { host: site.outside(machine), port: site.port(service) },
      { host: site.inside(machine), port: site.port(service) },
    )
  const toEtcd = (to: Machine) =>
    site.open(
      { host: site.wayToEtcd(machine, to), port: site.port('etcd') },
      { host: site.inside(to), port: site.port('etcd') },
    )
  const doors = await Promise.all([between('postgres'), between('patroni'), ...MACHINES.map(toEtcd)])
  const data = site.makeFolder(`pets${machine}`, 'var', 'lib', 'postgresql', '15')
  site.makeFolder(`pets${machine}`, 'var', 'run', 'postgresql')
  const program = startProgram(site, machine, configOf(site, machine, mode), join(data, 'pets'))
  return { machine, program, doors }
}

function configOf(site: Site, machine: Machine, mode: Mode): string {
  const synchronous: Record<string, string> =
    mode === 'asynchronous'
      ? {
          'synchronous_mode: true': 'synchronous_mode: false',
          'synchronous_mode_strict: true': 'synchronous_mode_strict: false',
        }
      : {}
  const programs = { '/usr/lib/postgresql/15/bin': String(postgres) }
  let config = site.render('patroni.yml', machine, { ...synchronous, ...programs })
  for (const to of MACHINES) {
    const etcd = `:${site.port('etcd')}`
    config = config.replaceAll(site.outside(to) + etcd, site.wayToEtcd(machine, to) + etcd)
  }
  return site.write('patroni.yml', machine, config)
}

function startProgram(site: Site, machine: Machine, config: string, data: string): Program {
  return site.start(`patroni${machine}`, {
    command: [String(program), config],
    env: { HOME: site.folder, PYTHONUNBUFFERED: '1' },
    user: notAsRoot,
    others: () => postmaster(data),
  })
}

/** PostgreSQL survives a Patroni that dies. */
function postmaster(data: string): readonly number[] {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? [pid] : []
  } catch {
    return []
  }
}
