/** A Redis or Valkey cluster: a master on each machine, and its replica on another. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'
import { findProgram, skipUnless } from '../support/programs.ts'
import type { Door } from './doors.ts'
import type { Program } from './program.ts'
import { MACHINES, type Machine, PASSWORDS, PORTS, type Site } from './site.ts'

const server = findProgram(process.env.PETS_TEST_REDIS, 'redis-server', 'valkey-server')
const cli = findProgram('redis-cli', 'valkey-cli')

/** For `test({ ...redisClusterNeeded })`. */
export const redisClusterNeeded = skipUnless(
  server !== undefined && cli !== undefined,
  'there is no redis-server with redis-cli, and no valkey-server with valkey-cli; install one',
)

const JOIN_MS = 120_000
const SERVICES = ['redis', 'redisCopy'] as const
type RedisService = (typeof SERVICES)[number]

interface RedisServer {
  readonly machine: Machine
  readonly service: RedisService
  readonly program: Program
  /** Its address as the cluster knows it. */
  readonly address: string
  readonly doors: readonly Door[]
  /** The address from which it calls the others. */
  readonly source: string
}

export class RedisCluster {
  readonly servers: readonly RedisServer[]
  readonly #site: Site

  private constructor(site: Site, servers: readonly RedisServer[]) {
    this.#site = site
    this.servers = servers
  }

  static async start(site: Site): Promise<RedisCluster> {
    const starting = MACHINES.flatMap((machine) => SERVICES.map((service) => startServer(site, machine, service)))
    return new RedisCluster(site, await Promise.all(starting))
  }

  /** Whether all of them answer, joined or not. */
  async isUp(): Promise<boolean> {
    return !(await Promise.all(this.servers.map((server) => this.#role(server)))).includes('silent')
  }

  /** Joins them, as deploy/ha/README.md does. */
  async join(): Promise<void> {
    const addresses = SERVICES.flatMap((service) =>
      this.servers.filter((server) => server.service === service).map(({ address }) => address),
    )
    const login = ['-a', PASSWORDS.REDIS_PASSWORD, '--no-auth-warning']
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']
    // Not in step with this process, which is the network between the servers.
    await promisify(execFile)(String(cli), [...login, ...create], { timeout: JOIN_MS })
  }

  /** The servers that hold counters and answer. */
  async masters(): Promise<readonly RedisServer[]> {
    const states = await Promise.all(this.servers.map(async (server) => [server, await this.#role(server)] as const))
    return states.filter(([, role]) => role === 'master' || role === 'alone').map(([server]) => server)
  }

  /** All slots are served by three masters, each with a replica whose link to it is up. */
  async isWhole(): Promise<boolean> {
    const roles = await Promise.all(this.servers.map((server) => this.#role(server)))
    return [...roles].sort().join() === 'master,master,master,replica,replica,replica'
  }

  /**
   * Asks it behind its doors. A master that the cluster has dropped, or that knows of no replica, does not count as
   * one.
   */
  async #role({ machine, service }: RedisServer): Promise<string> {
    const url = `redis://:${PASSWORDS.REDIS_PASSWORD}@${this.#site.inside(machine)}:${this.#site.port(service)}`
    const client = createClient({ url, socket: { connectTimeout: 500, reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      await client.connect()
      const info = await client.withCommandOptions({ timeout: 500 }).info('replication')
      const cluster = await client.withCommandOptions({ timeout: 500 }).clusterInfo()
      if (!cluster.includes('cluster_state:ok') || !cluster.includes('cluster_slots_ok:16384')) return 'out'
      if (info.includes('role:master')) return /connected_slaves:[1-9]/.test(info) ? 'master' : 'alone'
      return info.includes('master_link_status:up') ? 'replica' : 'behind'
    } catch {
      return 'silent'
    } finally {
      if (client.isOpen) client.destroy()
    }
  }
}

async function startServer(site: Site, machine: Machine, service: RedisService): Promise<RedisServer> {
  const bus = `${service}Bus` as const
  const between = (service: RedisService | typeof bus) =>
    site.open(
      { host: site.outside(machine), port: site.port(service) },
      { host: site.inside(machine), port: site.port(service) },
    )
  const doors = await Promise.all([between(service), between(bus)])
  const second: Record<string, string> = service === 'redis' ? {} : { '7001': '7002' }
  const config = site.write(`${service}.conf`, machine, site.render('redis.conf', machine, second))
  site.makeFolder(`pets${machine}`, 'var', 'lib', 'redis', String(PORTS[service]))
  const source = site.redisSource(machine, service)
  const program = site.start(`${service}${machine}`, {
    command: [String(server), config, '--bind-source-addr', source],
  })
  return { machine, service, program, address: `${site.outside(machine)}:${site.port(service)}`, doors, source }
}
