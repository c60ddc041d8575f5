/** The engines on which the suites run, each as in production. */
import { join } from 'node:path'
import type { Clock } from '../../src/common/clock.ts'
import type { Counters } from '../../src/counters/counters.ts'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { RedisCounters } from '../../src/counters/redis-counters.ts'
import { PostgresDatabase } from '../../src/store/postgres/connection/database.ts'
import { PostgresCounters } from '../../src/store/postgres/counters.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { SharedCounters } from '../../src/store/store.ts'
import { memoryFolder, removeFolder, temporaryFolder } from '../support/folder.ts'
import { type Databases, postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import { patientClock } from '../support/time/clock.ts'
import { pgbouncerNeeded, startPgBouncer } from './pgbouncer.ts'

interface StoreEngine {
  readonly name: string
  readonly needed: { skip: string | false }
  start(): Promise<{
    createDatabase(): Promise<string>
    stop(): Promise<void>
  }>
}

const ENGINES: readonly StoreEngine[] = [
  {
    name: 'SQLite',
    needed: { skip: false },
    async start() {
      const folder = memoryFolder()
      let databases = 0
      return {
        async createDatabase() {
          databases += 1
          return `sqlite:${join(folder, `${databases}.db`)}`
        },
        async stop() {
          removeFolder(folder)
        },
      }
    },
  },
  {
    name: 'PostgreSQL',
    needed: postgresNeeded,
    async start() {
      const server = await sharedPostgres()
      return { ...server, createDatabase: copiesOn(server) }
    },
  },
]

/** Used alone, by a run of `npm run test:all`. */
const POOLED: StoreEngine = {
  name: 'PostgreSQL behind PgBouncer',
  needed: { skip: postgresNeeded.skip || pgbouncerNeeded.skip },
  async start() {
    const server = await sharedPostgres()
    const pooler = await startPgBouncer(server.port)
    const createDatabase = copiesOn(server)
    return {
      async createDatabase() {
        const url = new URL(await createDatabase())
        url.port = String(pooler.port)
        return url.href
      },
      async stop() {
        await pooler.stop()
        await server.stop()
      },
    }
  },
}

export const storeEngines = process.env.PETS_TEST_POOLED === undefined ? ENGINES : [POOLED]

/** Copies a database that was opened once, which takes a third of the time. */
function copiesOn(server: Databases): () => Promise<string> {
  let made: Promise<string> | undefined
  const make = async () => {
    const url = await server.createDatabase()
    await (await PostgresDatabase.open(url, { serving: true, clock: patientClock })).close()
    return url
  }
  return async () => {
    made ??= make()
    return server.createDatabase(await made)
  }
}

export type AnyCounters = Pick<Counters | SharedCounters, 'consume' | 'peek' | 'unban' | 'close'>

interface CountersEngine {
  readonly name: string
  readonly needed: { skip: string | false }
  readonly shared: boolean
  start(): Promise<{
    /** Counters by this clock; each call is one more node, over the same counts where the engine is shared. */
    open(clock: Clock): Promise<AnyCounters>
    stop(): Promise<void>
  }>
}

export const countersEngines: readonly CountersEngine[] = [
  {
    name: 'memory',
    needed: { skip: false },
    shared: false,
    async start() {
      return { open: async (clock) => new MemoryCounters(clock), async stop() {} }
    },
  },
  {
    name: 'memory saved in SQLite',
    needed: { skip: false },
    shared: false,
    async start() {
      const store = await openSqlite(join(temporaryFolder(), 'pets.db'), { serving: false, clock: patientClock })
      return { open: async (clock) => new MemoryCounters(clock, store.counters()), stop: () => store.close() }
    },
  },
  {
    name: 'PostgreSQL',
    needed: postgresNeeded,
    shared: true,
    async start() {
      const server = await sharedPostgres()
      const database = await PostgresDatabase.open(await server.createDatabase(), {
        serving: true,
        clock: patientClock,
      })
      return {
        open: async (clock) => new PostgresCounters(database, clock.now),
        async stop() {
          await database.close()
          await server.stop()
        },
      }
    },
  },
  {
    name: 'Redis',
    needed: redisNeeded,
    shared: true,
    async start() {
      const server = await startRedis()
      return {
        async open(clock) {
          const counters = new RedisCounters(server.url, clock, clock.now)
          await counters.revive()
          return counters
        },
        stop: () => server.stop(),
      }
    },
  },
]
