/** Pools of connections that never hold more than they may, and make do with what they have. */
import { Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Clock } from '../../../common/clock.ts'
import { Client } from './client.ts'
import { sqlState } from './errors.ts'

const GROW_AGAIN_MS = 1_000

/** It drops an idle connection that breaks. Where one breaks that is used, the next statement on it fails. */
export function openPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client }).on('error', ignore).on('connect', (client) => void client.on('error', ignore))
}

/**
 * A connection, in the order of the requests for one. Where the server gives the pool no further one, it waits for
 * those that it has, and tries again to grow, up to `max`, a while later.
 */
export async function take(pool: Pool, max: number, clock: Clock): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (sqlState(error) !== '53300' || pool.totalCount === 0) throw error
    pool.options.max = 1
    clock
      .after(GROW_AGAIN_MS, () => {
        pool.options.max = max
      })
      .unref()
    return pool.connect()
  }
}

/** Closes the connections that nobody uses. */
export function dropIdle(pool: Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then((client) => client.release(true), ignore)
  }
}

function ignore(): void {}
