/** What an operator asks of a PostgreSQL database first, read as it is: for `pets doctor`. */
import { type Examination, keysToWatch } from '../maintenance.ts'
import type { Row } from '../sql.ts'
import { StoreUnusable } from '../store.ts'
import { Client } from './connection/connections.ts'
import { reason } from './connection/errors.ts'

const TIMEOUT_MS = 5_000

/** A query for the one row that says which server this is, and which database in it. */
export const IDENTITY =
  "SELECT system_identifier || ' ' || oid FROM pg_control_system(), pg_database WHERE datname = current_database()"

/** Throws StoreUnusable. */
export function identityOf(url: string): Promise<string> {
  return withClient(url, async (ask) => String((await ask(IDENTITY))[0]?.[0]))
}

/** Throws StoreUnusable. */
export function examine(url: string, nowMs: number): Promise<Examination> {
  return withClient(url, async (ask) => {
    const [[there] = []] = await ask("SELECT to_regclass('journal') IS NOT NULL")
    if (String(there) !== 'true')
      throw new StoreUnusable('The database has no tables of this version yet; start the service once.')
    const [row = []] = await ask(
      `SELECT (SELECT version FROM pets_schema), pg_database_size(current_database()), (SELECT count(*) FROM keys),
        greatest((SELECT max(at_ms) FROM journal), (SELECT max(last_used_at_ms) FROM keys)),
        floor(extract(epoch FROM clock_timestamp()) * 1000)`,
    )
    const [schema = 0, bytes = 0, keys = 0, latestMs, clockMs] = row.map((value) =>
      value === null ? undefined : Number(value),
    )
    const watched = await keysToWatch(ask, nowMs)
    return { schema, bytes, logBytes: undefined, freeBytes: undefined, keys, latestMs, clockMs, ...watched }
  })
}

async function withClient<T>(url: string, work: (ask: (text: string) => Promise<Row[]>) => Promise<T>): Promise<T> {
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
