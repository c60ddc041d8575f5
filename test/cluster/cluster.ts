/**
 * The whole of deploy/ha on one machine: etcd, PostgreSQL under Patroni, HAProxy, a Redis cluster, three nodes and
 * nginx.
 */
import { nginxNeeded, startNginx, type TestNginx } from '../support/servers/nginx.ts'
import { until } from '../support/until.ts'
import { etcdHasBegun, etcdNeeded, startEtcd } from './etcd.ts'
import { haproxyNeeded, startHaproxy } from './haproxy.ts'
import type { Mode } from './history.ts'
import { databaseUrl, type Entrance, type Node, startNodes } from './nodes.ts'
import { Patroni, patroniNeeded } from './patroni.ts'
import { RedisCluster, redisClusterNeeded } from './redis-cluster.ts'
import { linuxNeeded, Site } from './site.ts'

const needs = [linuxNeeded, etcdNeeded, patroniNeeded, haproxyNeeded, redisClusterNeeded, nginxNeeded]
/** For `test({ ...clusterNeeded })`: why it cannot run here, or false. */
export const clusterNeeded = { skip: needs.map(({ skip }) => skip).find((skip) => skip !== false) ?? false }

const START_MS = 120_000

interface Parts {
  readonly site: Site
  readonly mode: Mode
  readonly patroni: Patroni
  readonly redis: RedisCluster
  readonly nodes: readonly Node[]
}

export class Cluster {
  readonly #parts: Parts
  readonly #nginx: TestNginx
  /** For the command line of `pets`. */
  readonly database: string
  /** Where clients reach the nodes and nginx. */
  readonly entrances: readonly Entrance[]

  private constructor(parts: Parts, nginx: TestNginx) {
    this.#parts = parts
    this.#nginx = nginx
    this.database = databaseUrl(parts.site)
    this.entrances = [...parts.nodes, { via: 'nginx', host: '127.0.0.1', port: nginx.port }]
  }

  /** Resolves when all of it is healthy. `logs`: a folder that is kept. */
  static async start(mode: Mode, logs: string): Promise<Cluster> {
    const site = await Site.create(logs)
    try {
      const parts = { site, mode, ...(await startParts(site, mode)) }
      await areWhole(parts, START_MS)
      return new Cluster(parts, await startNginx(parts.nodes.map(({ host, port }) => `${host}:${port}`)))
    } catch (error) {
      site.close()
      throw error
    }
  }

  get patroni(): Patroni {
    return this.#parts.patroni
  }

  get redis(): RedisCluster {
    return this.#parts.redis
  }

  get nodes(): readonly Node[] {
    return this.#parts.nodes
  }

  /** Resolves when every part of it is up and has its replica; throws if that takes longer. */
  whole(withinMs: number): Promise<void> {
    return areWhole(this.#parts, withinMs)
  }

  async stop(): Promise<void> {
    await this.#nginx.stop()
    this.#parts.site.close()
  }
}

async function startParts(site: Site, mode: Mode): Promise<Pick<Parts, 'patroni' | 'redis' | 'nodes'>> {
  startEtcd(site)
  startHaproxy(site)
  await until('three etcd servers', () => etcdHasBegun(site), START_MS)
  const [patroni, redis] = await Promise.all([Patroni.start(site, mode), RedisCluster.start(site)])
  await until('six Redis servers', () => redis.isUp(), START_MS)
  await redis.join()
  await until('PostgreSQL with two replicas', () => patroni.isWhole(mode), START_MS)
  await patroni.createDatabase()
  return { patroni, redis, nodes: await startNodes(site) }
}

async function areWhole({ mode, patroni, redis, nodes }: Parts, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  const byThen = (condition: () => Promise<boolean>, what: string) =>
    until(what, condition, deadlineMs - performance.now())
  await byThen(() => patroni.isWhole(mode), 'PostgreSQL with two replicas')
  await byThen(() => redis.isWhole(), 'three Redis masters and their replicas')
  const countTogether = async () => (await Promise.all(nodes.map((node) => node.isWhole()))).every(Boolean)
  await byThen(countTogether, 'three nodes that count together')
}
