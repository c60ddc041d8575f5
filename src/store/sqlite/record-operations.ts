/** Changes of existing animals, each with a journal entry (records.ts). */
import {
  type Author,
  difference,
  type Outcome,
  type PetChanges,
  type PetRecord,
  type Reach,
  sortTargets,
  type Target,
  versionsOf,
} from '../records.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'
import { LIVE, REMOVED, toRecord } from './record-rows.ts'
import { searchOperations } from './search-operations.ts'

export function recordOperations(connection: Connection) {
  const enter = journalWriter(connection)
  const search = searchOperations(connection)
  const count = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
  const update = connection.prepare('UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?')
  const keepRemoved = connection.prepare('INSERT INTO removed_pets VALUES (?, ?, ?, ?, ?)')
  const remove = connection.prepare('DELETE FROM pets WHERE id = ?')
  const insert = connection.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)')
  const dropRemoved = connection.prepare('DELETE FROM removed_pets WHERE id = ?')
  const overdue = connection.prepare('SELECT id FROM removed_pets WHERE removed_at_ms < ? LIMIT ? + 0')
  const live = connection.prepare(LIVE)
  const removed = connection.prepare(REMOVED)

  /** Does `work` for each of the animals that `reach` allows. They are found by `source`, and afterwards by `result`. */
  const each = (
    targets: readonly Target[],
    [source, result]: readonly [typeof live, typeof live],
    reach: Reach,
    work: (pet: PetRecord, id: bigint) => boolean,
  ): Outcome => {
    const versions = versionsOf(targets)
    const pets = [...versions.keys()].flatMap((id) => toRecord(source.get(id)) ?? [])
    const { reached, missing, conflicts } = sortTargets(versions, pets, reach)
    const changed = reached.filter((pet) => work(pet, BigInt(pet.id))).length
    const now = reached.flatMap(({ id }) => toRecord(result.get(BigInt(id))) ?? [])
    return { changed, pets: now, missing, conflicts }
  }

  return {
    changePets: (targets: readonly Target[], changes: PetChanges, by: Author, reach: Reach): Outcome =>
      each(targets, [live, live], reach, (pet, id) => {
        const values = difference(pet, changes)
        if (values === undefined) return false
        const name = changes.name ?? pet.name
        const status = changes.status === undefined ? (pet.status ?? null) : changes.status
        update.run(name, changes.categoryId ?? BigInt(pet.categoryId), status, id)
        count.run(-1, pet.status ?? 'none')
        count.run(1, status ?? 'none')
        if (name !== pet.name) search.replaceName(id, name)
        enter(by, 'edit', { petId: id, ...values })
        return true
      }),

    removePets: (targets: readonly Target[], by: Author): Outcome =>
      each(targets, [live, removed], 'all or none', (pet, id) => {
        keepRemoved.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null, BigInt(by.atMs))
        remove.run(id)
        count.run(-1, pet.status ?? 'none')
        search.replaceName(id, undefined)
        enter(by, 'remove', { petId: id })
        return true
      }),

    restorePets: (ids: readonly bigint[], by: Author): Outcome =>
      each(ids, [removed, live], 'all or none', (pet, id) => {
        insert.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null)
        dropRemoved.run(id)
        count.run(1, pet.status ?? 'none')
        search.replaceName(id, pet.name)
        enter(by, 'restore', { petId: id })
        return true
      }),

    /** Forgets at most `limit` of the animals that were removed before `beforeMs`; returns how many. */
    purgePets(beforeMs: number, limit: number, by: Author): number {
      const ids = (overdue.all(BigInt(beforeMs), limit) as unknown as [bigint][]).map(([id]) => id)
      for (const petId of ids) {
        dropRemoved.run(petId)
        enter(by, 'purge', { petId })
      }
      return ids.length
    },

    indexNames: search.indexNames,
  }
}
