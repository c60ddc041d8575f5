/**
 * Where the animals of a run are kept: a SQLite file for each server, or databases of one PostgreSQL on this disk, with
 * the settings that it comes with and a Redis for what is counted. Both servers share the core of the load.
 */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../test/support/folder.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { startRedis } from '../test/support/servers/redis.ts'

/** Databases by the addresses that `--database` takes, which last until the run ends. */
export interface Engine extends AsyncDisposable {
  /** More options of the service and of the peer. */
  readonly options: readonly string[]
  create(): Promise<string>
  /** A copy that is on the disk, so that nothing is written back while it is measured. */
  copy(address: string): Promise<string>
}

export function openSqlite(folder: string): Engine {
  const create = async () => `sqlite:${join(await mkdtemp(join(folder, 'database-')), 'pets.db')}`
  return {
    options: [],
    create,
    async copy(address) {
      const own = await create()
      const path = own.slice('sqlite:'.length)
      await copyFile(address.slice('sqlite:'.length), path)
      execFileSync('sync', [path])
      return own
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

export async function openServers(): Promise<Engine> {
  const postgres = await startPostgres({ fsync: 'on' }, temporaryFolder())
  const redis = await startRedis()
  return {
    options: ['--counters', redis.url],
    create: () => postgres.createDatabase(),
    copy: (address) => postgres.createDatabase(address),
    async [Symbol.asyncDispose]() {
      await redis.stop()
      await postgres.stop()
    },
  }
}
