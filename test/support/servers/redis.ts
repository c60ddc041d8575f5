/** A Redis or Valkey server, from the path or PETS_TEST_REDIS, also over TLS. */
import type { makeCertificate } from '../certificate.ts'
import { temporaryFolder } from '../folder.ts'
import { findProgram, skipUnless } from '../programs.ts'
import { freePort, runServer, type TestServer } from './servers.ts'

const program = findProgram(process.env.PETS_TEST_REDIS, 'redis-server', 'valkey-server')

export const redisNeeded = skipUnless(
  program !== undefined,
  'there is no redis-server or valkey-server on the path; install one, or name it in PETS_TEST_REDIS',
)

/** It is empty after a restart. */
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
