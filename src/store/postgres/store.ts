/** The store of several nodes: one PostgreSQL database. */
import type { LedgerRow } from '../ledger.ts'
import type { ServiceNote } from '../maintenance.ts'
import { operatorSide } from '../operator-side.ts'
import { table } from '../sql.ts'
import type { OpenOptions, Store } from '../store.ts'
import { PostgresDatabase } from './connection/database.ts'
import { PostgresCounters } from './counters.ts'
import { identityIn } from './examine.ts'
import { keyLookup } from './key-lookup.ts'
import { announceNode, assertNoNode } from './nodes.ts'
import { onPostgres } from './operator-database.ts'
import { PostgresPets } from './pets.ts'

/** Each node adds its sums to the ledger every few seconds and when it stops. */
const SAVE_AFTER_MS = 5_000

export type PostgresStore = Awaited<ReturnType<typeof openPostgres>>

/** A service waits for a starting database; a command does not. Throws StoreUnusable. */
export async function openPostgres(url: string, options: OpenOptions) {
  const { alone = false } = options
  const database = await PostgresDatabase.open(url, options)
  try {
    if (alone) await assertNoNode(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const pets = new PostgresPets(database)
  const lookup = keyLookup(database)
  const side = operatorSide(onPostgres(database), lookup.forget)
  let unannounce = async () => {}
  return {
    ...side,
    engine: 'postgres' as const,
    pets,
    requests: {
      findKey: lookup.find,
      markKeysUsed: (uses: ReadonlyMap<string, number>) => side.keys.markUsed(uses),
      saveLedger: (rows: readonly LedgerRow[]) => side.ledger.save(rows),
    },
    saveAfterMs: SAVE_AFTER_MS,
    commits: pets.commits,
    ping: async () => void (await database.query('SELECT 1')),
    identity: () => identityIn(database.longQuery),
    changeVersion: changeVersionOf(database),
    announce(note: ServiceNote): void {
      unannounce = announceNode(database, note)
    },
    counters: () => new PostgresCounters(database),
    async close(): Promise<void> {
      await unannounce()
      await database.close()
    },
  } satisfies Store
}

/** A statement that adds an animal ends within this time. */
const SETTLED_AFTER_MS = 2_000

const VERSION = table({
  numbers: ['text', "concat_ws(' ', (SELECT max(id) FROM pets), (SELECT max(n) FROM journal))"],
  snapshot: 'text',
  isQuiet: ['bigint', 'pg_snapshot_xmin(snapshot) = pg_snapshot_xmax(snapshot)'],
})

/** The greatest numbers of animals and journal, or the snapshot itself while late commits are possible. */
function changeVersionOf({ clock, single }: PostgresDatabase): () => Promise<string> {
  let [last, movedMs] = ['', 0]
  return async () => {
    const { numbers, snapshot, isQuiet } = await VERSION.only(single, 'FROM pg_current_snapshot() AS snapshot')
    if (numbers !== last) [last, movedMs] = [numbers, clock.monotonic()]
    const isSettled = isQuiet === 1n && clock.monotonic() - movedMs > SETTLED_AFTER_MS
    return isSettled ? last : `${numbers} at ${snapshot}`
  }
}
