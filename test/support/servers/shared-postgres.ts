/**
 * One PostgreSQL for all files of a run that need nothing of it but databases: the first that asks starts it in the
 * folder of the run, PETS_TEST_RUN, and it ends with the run (scripts/test.ts). Without a run, each has its own.
 */
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type Databases, databasesAt, initDatabases, spawnPostgres, startPostgres, untilAnswers } from './postgres.ts'
import { freePort, notAsRoot, PATIENCE_MS } from './servers.ts'

const RUN = process.env.PETS_TEST_RUN
/** Several files are connected at once. And nobody waits for a cleaner that visits each of a hundred databases. */
const SETTINGS = { max_connections: '300', autovacuum: 'off' }

/** Its databases are dropped when it is stopped. */
export async function sharedPostgres(): Promise<Databases> {
  if (RUN === undefined) return startPostgres()
  const databases = databasesAt(await portIn(join(RUN, 'postgres')))
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

/** The port of the server in this folder; whoever makes the folder starts it. */
async function portIn(folder: string): Promise<number> {
  const file = join(folder, 'port')
  if (isMade(folder)) {
    if (notAsRoot.uid !== undefined) chownSync(folder, notAsRoot.uid, notAsRoot.gid)
    const programs = initDatabases(folder)
    const port = await freePort()
    const server = spawnPostgres(programs, join(folder, 'data'), port, SETTINGS)
    server.unref()
    await untilAnswers(server, port)
    writeFileSync(`${file}.new`, String(port))
    renameSync(`${file}.new`, file)
  } else {
    await until('the PostgreSQL of this run has started', () => existsSync(file), 2 * PATIENCE_MS)
  }
  return Number(readFileSync(file, 'utf8'))
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
