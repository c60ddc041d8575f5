/** Connections, and pools of them that never hold more than they may, and make do with what they have. */
import { Client as PgClient, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Clock } from '../../../common/clock.ts'
import { StoreUnusable } from '../../store.ts'
import { sqlState } from './errors.ts'

const GROW_AGAIN_MS = 1_000

/** It drops an idle connection that breaks. Where one breaks that is used, the next statement on it fails. */
export function openPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client }).on('error', ignore).on('connect', (client) => void client.on('error', ignore))
}

/**
 * A connection, in the order of the requests for one. Where the server gives the pool no further one, it waits for
 * those that it has, and tries again to grow a while later.
 */
export async function take(pool: Pool, clock: Clock): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (sqlState(error) !== '53300' || pool.totalCount === 0) throw error
    const { options } = pool
    const { max } = options
    options.max = 1
    const grow = () => {
      options.max = max
    }
    // Where it was 1, another one has tried, who lets it grow.
    if (max > 1) clock.after(GROW_AGAIN_MS, grow).unref()
    return pool.connect()
  }
}

export function dropIdle(pool: Pool): void {
  for (let remaining = pool.idleCount; remaining > 0; remaining -= 1) {
    pool.connect().then((client) => client.release(true), ignore)
  }
}

export function ignore(): void {}

/** pg's own words where the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be a (?:non-empty )?string/

/** Says what people can do. pg leaves a connection open that fails in the middle of the sign-in, and with it the process. */
export class Client extends PgClient {
  override connect(): Promise<PgClient>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<PgClient> | undefined {
    const connecting = super.connect().catch((error: Error) => {
      this.end().catch(() => {})
      throw NO_PASSWORD.test(error.message) ? new StoreUnusable(ASKS_FOR_PASSWORD, { cause: error }) : error
    })
    if (callback === undefined) return connecting
    connecting.then(() => (callback as () => void)(), callback)
    return undefined
  }
}

const ASKS_FOR_PASSWORD =
  'The database cannot be used: it asks for a password; give it in the address, as PGPASSWORD, or in a password file (PGPASSFILE).'
