/** The first facts about a PostgreSQL database for `pets health`, without changing anything. */
import { type Examination, examineKeys } from '../maintenance.ts'
import { type Sql, type SqlRow, table } from '../sql.ts'
import { StoreUnavailable, StoreUnusable } from '../store.ts'
import { Client } from './connection/connections.ts'
import { isUnreachable, reason } from './connection/errors.ts'

const TIMEOUT_MS = 5_000
const FACTS = table({
  schema: ['int', '(SELECT version FROM pets_schema)'],
  bytes: ['int', 'pg_database_size(current_database())'],
  animals: ['int', '(SELECT count(*) FROM pets)'],
  clockMs: ['int?', 'floor(extract(epoch FROM clock_timestamp()) * 1000)'],
})

/** The identity of the server, unless it hides that, and of the database. */
export async function identityIn(ask: Sql): Promise<string> {
  const [[database] = []] = await ask('SELECT oid FROM pg_database WHERE datname = current_database()')
  const [[server = 'unknown'] = []] = await ask('SELECT system_identifier FROM pg_control_system()').catch(
    (error: unknown) => {
      if (isUnreachable(error instanceof StoreUnavailable ? error.cause : error)) throw error
      return []
    },
  )
  return `${server} ${database}`
}

export function identityOf(url: string): Promise<string> {
  return withClient(url, identityIn)
}

export function examine(url: string, nowMs: number): Promise<Examination> {
  return withClient(url, async (ask) => {
    const [[hasJournal] = []] = await ask("SELECT to_regclass('journal') IS NOT NULL")
    if (String(hasJournal) !== 'true')
      throw new StoreUnusable('The database has no tables of this version yet; start the service once.')
    const facts = await FACTS.only(ask, '')
    return { ...facts, logBytes: undefined, freeBytes: undefined, ...(await examineKeys(ask, nowMs)) }
  })
}

/** Throws StoreUnusable. */
async function withClient<T>(url: string, work: (ask: (text: string) => Promise<SqlRow[]>) => Promise<T>): Promise<T> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS }
  const client = new Client({ connectionString: url, fallback_application_name: 'pets', ...timeouts })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(async (text) => (await client.query({ text, rowMode: 'array' })).rows)
  } catch (error) {
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`The database cannot be used: ${reason(error)}`)
  } finally {
    await client.end()
  }
}
