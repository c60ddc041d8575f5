/** The deployments that are fuzzed: SQLite alone, and PostgreSQL with Redis. */
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, startPostgres } from '../support/servers/postgres.ts'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import type { Target } from './fuzz.ts'

export type Engine = 'sqlite' | 'postgres'

export const NEEDED = {
  sqlite: { skip: false },
  postgres: { skip: postgresNeeded.skip || redisNeeded.skip },
}

export async function openTarget(engine: Engine): Promise<Target & AsyncDisposable> {
  if (engine === 'sqlite') {
    return { database: `sqlite:${temporaryFolder()}/pets.db`, args: [], [Symbol.asyncDispose]: async () => {} }
  }
  await using opened = new AsyncDisposableStack()
  const postgres = await startPostgres()
  opened.defer(() => postgres.stop())
  const redis = await startRedis()
  opened.defer(() => redis.stop())
  const database = await postgres.createDatabase()
  const kept = opened.move()
  return { database, args: ['--counters', redis.url], [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
