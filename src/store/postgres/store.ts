/** The scaled-out store: one PostgreSQL database shared by any number of equal nodes. */

import type { LedgerRow, LedgerSave } from '../ledger.ts'
import type { ServiceNote } from '../maintenance.ts'
import { operatorSide } from '../operator-side.ts'
import { text } from '../sql.ts'
import type { OpenOptions, Store } from '../store.ts'
import { ChangeMark } from './connection/change-mark.ts'
import { Database } from './connection/database.ts'
import { foldTexts } from './connection/fold-texts.ts'
import { PostgresCounters } from './counters.ts'
import { IDENTITY } from './examine.ts'
import { KeyLookup } from './key-lookup.ts'
import { announceNode, assertNoNode } from './nodes.ts'
import { onPostgres } from './operator-database.ts'
import { PostgresPets } from './pets.ts'

/** Each node adds its own sums of the ledger every few seconds and at its end. */
const SAVE_AFTER_MS = 5_000

/** So long an animal that a node of an earlier version has added during an update may not be found by its name. */
const FOLD_EVERY_MS = 3_600_000

export type PostgresStore = Awaited<ReturnType<typeof openPostgres>>

/**
 * A service waits for a database that is still starting; a command reports at once that it is not there. Throws
 * StoreUnusable.
 */
export async function openPostgres(url: string, options: OpenOptions) {
  const { serving, alone = false, clock, events, onUpgrade } = options
  const database = await Database.open(url, { isServing: serving, clock, events, onUpgrade })
  try {
    if (alone) await assertNoNode(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const pets = new PostgresPets(database)
  const lookup = new KeyLookup(database)
  const mark = new ChangeMark(database)
  const { archive, ...subjects } = operatorSide(onPostgres(database), lookup.forget)
  let unannounce = async () => {}
  // What fails is done the next time.
  const fold = () => void foldTexts(database.longQuery).catch(() => {})
  const folding = serving ? clock.every(FOLD_EVERY_MS, fold).unref() : undefined
  if (serving) fold()
  return {
    ...subjects,
    engine: 'postgres' as const,
    pets,
    requests: {
      findKey: (hash: string) => lookup.find(hash),
      markKeysUsed: (uses: ReadonlyMap<string, number>) => subjects.keys.markUsed(uses),
      saveLedger: (rows: readonly LedgerRow[], save: LedgerSave) => subjects.ledger.save(rows, save),
    },
    saveAfterMs: SAVE_AFTER_MS,
    commits: pets.commits,
    ping: () => database.ping(),
    /** A server and a database in it. */
    async identity(): Promise<string> {
      const [[identity] = []] = await database.single(IDENTITY)
      return text(identity)
    },
    changeMark: () => mark.read(),
    archive: async () => archive,
    announce(note: ServiceNote): void {
      unannounce = announceNode(database, note)
    },
    counters: () => new PostgresCounters(database),
    async close(): Promise<void> {
      clock.cancel(folding)
      await unannounce()
      await database.close()
    },
  } satisfies Store
}
