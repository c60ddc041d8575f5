/** A real PgBouncer for tests, in transaction mode in front of a test's PostgreSQL. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { freePort, notAsRoot, runServer, type TestServer } from '../support/servers/servers.ts'

/** Fewer than the connections of one node, so that transactions of one connection move from server to server. */
const SERVER_CONNECTIONS = 3

const program = findProgram('pgbouncer')

export const pgbouncerNeeded = skipUnless(program !== undefined, 'there is no pgbouncer on the path; install it')

/** `port` is PostgreSQL's, whose users it asks PostgreSQL for. */
export async function startPgBouncer(postgresPort: number): Promise<TestServer> {
  if (program === undefined) throw new Error(String(pgbouncerNeeded.skip))
  const port = await freePort()
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'users'), '"admin" ""')
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
auth_user = admin
auth_query = SELECT usename, '' FROM pg_user WHERE usename = $1
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
`,
  )
  return runServer(port, [program, '--quiet', config], { ...notAsRoot, stopBy: 'SIGKILL' })
}
