/**
 * A real Redis or Valkey for tests, from the path or as PETS_TEST_REDIS names it: one server, over TLS, or a small
 * cluster.
 */
import { createClient } from '@redis/client'
import type { makeCertificate } from '../certificate.ts'
import { temporaryFolder } from '../folder.ts'
import { findProgram, skipUnless } from '../programs.ts'
import { until } from '../until.ts'
import { freePort, runServer, type TestServer } from './servers.ts'

const program = findProgram(process.env.PETS_TEST_REDIS, 'redis-server', 'valkey-server')

/** For `test({ ...redisNeeded })`. */
export const redisNeeded = skipUnless(
  program !== undefined,
  'there is no redis-server or valkey-server on the path; install one, or name it in PETS_TEST_REDIS',
)

/** Started again it is empty. */
export interface TestRedis extends TestServer {
  readonly url: string
}

export async function startRedis(
  more: readonly string[] = [],
  tls?: ReturnType<typeof makeCertificate>,
): Promise<TestRedis> {
  if (program === undefined) throw new Error(String(redisNeeded.skip))
  const port = await freePort()
  const folder = temporaryFolder()
  const listen = tls === undefined ? ['--port', `${port}`] : ['--port', '0', '--tls-port', `${port}`, ...tlsArgs(tls)]
  const line = [program, ...listen, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, ...more]
  const server = await runServer(port, line, { stopBy: 'SIGKILL' })
  return Object.assign(server, { url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}` })
}

function tlsArgs({ cert, key }: ReturnType<typeof makeCertificate>): string[] {
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert]
  return [...files, '--tls-auth-clients', 'no']
}

/** Three servers that share the 16384 slots, without replicas. */
export async function startRedisCluster(): Promise<readonly TestRedis[]> {
  const cluster = '--cluster-enabled yes --cluster-node-timeout 20000 --cluster-require-full-coverage no'.split(' ')
  const servers = await Promise.all([1, 2, 3].map(() => startRedis(cluster)))
  const clients = servers.map(({ url }) => createClient({ url, socket: { reconnectStrategy: false } }))
  await Promise.all(clients.map((client) => client.connect()))
  const bounds = [0, 5_461, 10_922, 16_384]
  for (const [index, client] of clients.entries()) {
    await client.clusterAddSlotsRange({ start: bounds[index] ?? 0, end: (bounds[index + 1] ?? 0) - 1 })
    for (const { port } of servers) await client.clusterMeet('127.0.0.1', port)
  }
  for (const client of clients) {
    await until('the cluster is complete', async () => {
      const isWhole = /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(await client.clusterInfo())
      return isWhole && (await client.clusterSlots()).length === 3
    })
    client.destroy()
  }
  return servers
}
