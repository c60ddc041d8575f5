/**
 * One PostgreSQL for all files of a run that need nothing of it but databases: it ends with the run. Without a run,
 * each has its own.
 */
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { onceInRun, RUN } from '../once-in-run.ts'
import { type Databases, databasesAt, initDatabases, spawnPostgres, startPostgres, untilAnswers } from './postgres.ts'
import { freePort, notAsRoot, TIMEOUT_MS } from './servers.ts'

/** Several files are connected at once. And nobody waits for a cleaner that visits each of a hundred databases. */
const SETTINGS = { max_connections: '300', autovacuum: 'off' }

/** Its databases are dropped when it is stopped. */
export async function sharedPostgres(): Promise<Databases> {
  if (RUN === undefined) return startPostgres()
  const { said: port } = await onceInRun('PostgreSQL', startIn, 2 * TIMEOUT_MS)
  const databases = databasesAt(Number(port))
  const made = new Set<string>()
  return {
    ...databases,
    async createDatabase(like) {
      const url = await databases.createDatabase(like)
      made.add(url)
      return url
    },
    async dropDatabase(url) {
      made.delete(url)
      await databases.dropDatabase(url)
    },
    async stop() {
      for (const url of made) await databases.dropDatabase(url)
      made.clear()
    },
  }
}

/** Started in this folder; resolves to its port. */
async function startIn(folder: string): Promise<string> {
  if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
  const programs = initDatabases(folder)
  const port = await freePort()
  const server = spawnPostgres(programs, join(folder, 'data'), port, SETTINGS)
  server.unref()
  await untilAnswers(server, port)
  return String(port)
}
