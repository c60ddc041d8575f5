/** The nodes that serve a database announce themselves by its clock, for commands that need it alone. */
import type { Timer } from '../../common/clock.ts'
import type { ServiceNote } from '../maintenance.ts'
import { StoreUnusable } from '../store.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { NO_WAIT, DATABASE_NOW_MS as NOW_MS } from './counters.ts'

const EVERY_MS = 10_000
/** A node that is killed is taken for one that runs for so long. */
const SEEN_WITHIN_MS = 30_000

/** Returns the function that stops announcing. */
export function announceNode(
  database: PostgresDatabase,
  { pid, sinceMs, version, baseUrl }: ServiceNote,
): () => Promise<void> {
  const id = `${baseUrl} ${pid} ${sinceMs}`
  const announce = async () => {
    await database.own(
      `INSERT INTO nodes (id, base_url, version, seen_at_ms) SELECT $1, $2, $3, ${NOW_MS} FROM ${NO_WAIT}
       ON CONFLICT (id) DO UPDATE SET seen_at_ms = excluded.seen_at_ms`,
      [id, baseUrl, version],
    )
    await database.own(`DELETE FROM nodes WHERE seen_at_ms < ${NOW_MS} - 100 * ${SEEN_WITHIN_MS}`)
  }
  const tell = () => database.attempt('commands are not told that this node serves the database', announce)
  let telling = tell()
  const timer: Timer = database.clock
    .every(EVERY_MS, () => {
      telling = telling.then(tell)
    })
    .unref()
  return async () => {
    database.clock.cancel(timer)
    await telling
    await database.own('DELETE FROM nodes WHERE id = $1', [id]).catch(() => {})
  }
}

/** Throws StoreUnusable if a node serves the database. */
export async function assertNoNode({ single }: PostgresDatabase): Promise<void> {
  const [node] = await single(
    `SELECT base_url, (${NOW_MS} - seen_at_ms) / 1000 FROM nodes WHERE abs(${NOW_MS} - seen_at_ms) < ${SEEN_WITHIN_MS} ORDER BY id LIMIT 1`,
  )
  if (node === undefined) return
  throw new StoreUnusable(
    `The database is served by \`pets serve\` at ${node[0]} (seen ${node[1]} s ago); stop it first.`,
  )
}
