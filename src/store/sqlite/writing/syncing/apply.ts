/** Carries out the plan of a sync in one transaction, which holds what changes and nothing else. */
import { importedValues, SYNC_ACTS, syncedValues } from '../../../rules/journal.ts'
import { CHANGE, type ChangeRow, countStale, toChange } from '../../../rules/sync.ts'
import type { SyncChange, SyncOptions } from '../../../sync.ts'
import type { Connection } from '../../file/connection.ts'
import { type FlatPets, IS_THERE } from '../../rows/pets.ts'
import { journalWriter } from '../journal.ts'
import { nameNewCategories } from '../naming/categories.ts'
import { petMoves } from '../records.ts'

/** What a sync is entered with. */
type SyncFacts = Pick<SyncOptions, 'by' | 'source' | 'newCategories'>

/** Animals that are added by one call. */
const ADDED_TOGETHER = 1_000

/** `createPets` adds animals, with all that depends on it, and returns the first id. */
export function syncWrites(connection: Connection, createPets: (pets: FlatPets) => bigint) {
  const enter = journalWriter(connection)
  const moves = petMoves(connection)
  const refer = connection.prepare('INSERT INTO pet_references (pet_id, reference) VALUES (?, ?)')
  const number = (sql: string) => Number((connection.prepare(sql).get() as unknown as [bigint])[0])

  /** Carries out one change of an animal that is there; all but its entry in the journal. */
  const move = ({ kind, reference, now, before }: SyncChange, id: bigint, atMs: number): void => {
    if (before === undefined) return
    if (kind === 'removed') {
      moves.remove(id, now, atMs)
      return
    }
    if (kind === 'restored') moves.restore(id, before)
    if (kind === 'adopted') refer.run(id, reference)
    moves.change(id, before.status, { ...now, name: now.name === before.name ? null : now.name })
  }

  return {
    /**
     * Carries out the plan. Returns the number of the sync; undefined, and nothing is done, if the plan is stale.
     * Throws StoreUnusable if one of its new categories is there meanwhile.
     */
    applySync({ by: author, source, newCategories = new Map() }: SyncFacts): bigint | undefined {
      if (number(countStale(IS_THERE)) > 0) return undefined
      const by = { ...author }
      nameNewCategories(connection, newCategories, by)
      const animals = number('SELECT count(*) FROM temp.sync_plan')
      const add = connection.prepare('INSERT INTO imports (at_ms, who, source, animals) VALUES (?, ?, ?, ?)')
      const n = BigInt(add.run(BigInt(by.atMs), by.who, source, BigInt(animals)).lastInsertRowid)
      let added: SyncChange[] = []
      const flush = () => {
        if (added.length === 0) return
        const first = createPets(added.flatMap(({ now: { name, categoryId, status } }) => [name, categoryId, status]))
        for (const [index, change] of added.entries()) {
          const petId = first + BigInt(index)
          refer.run(petId, change.reference)
          enter(by, 'add', { petId, ...syncedValues(n, change) })
        }
        added = []
      }
      const plan = connection.prepare(`SELECT ${CHANGE} FROM temp.sync_plan ORDER BY place`)
      for (const row of plan.iterate()) {
        const change = toChange(row as unknown as ChangeRow)
        if (change.id === undefined) {
          added.push(change)
          if (added.length === ADDED_TOGETHER) flush()
          continue
        }
        move(change, change.id, by.atMs)
        enter(by, SYNC_ACTS[change.kind], { petId: change.id, ...syncedValues(n, change) })
      }
      flush()
      enter(by, 'sync', { to: importedValues(n, animals, source) })
      return n
    },
  }
}
