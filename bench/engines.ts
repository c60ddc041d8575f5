/**
 * Where the animals of a run are kept: a SQLite file for each server, or databases of one PostgreSQL on this disk, with
 * the settings that it comes with and a Redis for what is counted. Both servers share the core of the load.
 */
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../test/support/folder.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { startRedis } from '../test/support/servers/redis.ts'

/** A database by the address that `--database` takes. Disposing of it deletes it. */
interface DatabaseCopy extends AsyncDisposable {
  readonly address: string
}

export interface Engine extends AsyncDisposable {
  /** More options of the service. */
  readonly options: readonly string[]
  /** The address of a new database, which is there until the run ends. */
  create(): Promise<string>
  /** A copy that is on the disk, so that nothing is written back while it is measured. */
  copy(address: string): Promise<DatabaseCopy>
}

export const ENGINES = ['sqlite', 'postgres'] as const
export type EngineName = (typeof ENGINES)[number]

export function openEngine(name: EngineName, folder: string): Promise<Engine> {
  return name === 'sqlite' ? openSqlite(folder) : openServers()
}

/** The path of a SQLite file. */
export const pathOf = (address: string) => address.replace('sqlite:', '')

async function openSqlite(folder: string): Promise<Engine> {
  return {
    options: [],
    create: async () => `sqlite:${join(await mkdtemp(join(folder, 'seed-')), 'pets.db')}`,
    async copy(address) {
      const own = await mkdtemp(join(folder, 'server-'))
      const path = join(own, 'pets.db')
      await copyFile(pathOf(address), path)
      await using file = await open(path, 'r')
      await file.sync()
      return { address: `sqlite:${path}`, [Symbol.asyncDispose]: () => rm(own, { recursive: true }) }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function openServers(): Promise<Engine> {
  const postgres = await startPostgres({ fsync: 'on' }, temporaryFolder())
  const redis = await startRedis()
  return {
    options: ['--counters', redis.url],
    create: () => postgres.createDatabase(),
    async copy(like) {
      const address = await postgres.createDatabase(like)
      return { address, [Symbol.asyncDispose]: () => postgres.dropDatabase(address) }
    },
    async [Symbol.asyncDispose]() {
      await redis.stop()
      await postgres.stop()
    },
  }
}
