/** Changes of animals and names of categories by people, each with its journal entry in the same transaction. */

import type { NewPet } from '../../../contract/schemas.ts'
import type { Added, Author, ChangeOutcome, PetChanges, PetRecord, Reach, Target } from '../../records.ts'
import { FORMS_KEPT } from '../../rules/bounds.ts'
import { addedValues, exportedValues, labelValues } from '../../rules/journal.ts'
import { difference, sortTargets, versionsOf } from '../../shared/changes.ts'
import type { Connection } from '../file/connection.ts'
import type { FlatPets } from '../rows/pets.ts'
import { LIVE, LIVE_BRIEF, REMOVED, toRecord } from '../rows/records.ts'
import { journalWriter } from './journal.ts'
import { countWriter, INSERT_WITH_ID } from './pets.ts'
import { searchWrites } from './search-index.ts'

export function recordWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const search = searchWrites(connection)
  const addToCount = countWriter(connection)
  const update = connection.prepare(
    'UPDATE pets SET name = coalesce(?, name), category_id = ?, status = ? WHERE id = ?',
  )
  const keepRemoved = connection.prepare('INSERT INTO removed_pets VALUES (?, ?, ?, ?, ?)')
  const remove = connection.prepare('DELETE FROM pets WHERE id = ?')
  const insert = connection.prepare(INSERT_WITH_ID)
  const dropRemoved = connection.prepare('DELETE FROM removed_pets WHERE id = ?')
  const unmark = connection.prepare('DELETE FROM purge_marks WHERE pet_id = ?')
  const live = connection.prepare(LIVE)
  const brief = connection.prepare(LIVE_BRIEF)
  const removed = connection.prepare(REMOVED)

  /**
   * Runs `work` for the animals that `reach` allows, found by `source` before and by `result` after it, with one
   * reading of the author's time for all.
   */
  const each = (
    targets: readonly Target[],
    [source, result]: readonly [typeof live, typeof live],
    reach: Reach,
    author: Author,
    work: (pet: PetRecord, id: bigint, by: Author) => boolean,
  ): ChangeOutcome => {
    const by = { ...author }
    const versions = versionsOf(targets)
    const pets = [...versions.keys()].flatMap((id) => toRecord(source.get(id)) ?? [])
    const { reached, missing, conflicts } = sortTargets(versions, pets, reach)
    const changed = reached.filter((pet) => work(pet, BigInt(pet.id), by)).length
    const now = reached.flatMap(({ id }) => toRecord(result.get(BigInt(id))) ?? [])
    return { changed, pets: now, missing, conflicts }
  }

  return {
    changePets(targets: readonly Target[], changes: PetChanges, author: Author, reach: Reach): ChangeOutcome {
      const one = reach === 'all that can be' && changes.name === undefined ? brief : live
      return each(targets, [one, one], reach, author, (pet, id, by) => {
        const values = difference(pet, changes)
        if (values === undefined) return false
        const status = changes.status === undefined ? (pet.status ?? null) : changes.status
        update.run(changes.name ?? null, changes.categoryId ?? BigInt(pet.categoryId), status, id)
        addToCount(pet.status, -1)
        addToCount(status, 1)
        if (changes.name !== undefined && changes.name !== pet.name) search.noteName(id)
        enter(by, 'edit', { petId: id, ...values })
        return true
      })
    },

    removePets: (targets: readonly Target[], author: Author): ChangeOutcome =>
      each(targets, [live, removed], 'all or none', author, (pet, id, by) => {
        keepRemoved.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null, BigInt(by.atMs))
        remove.run(id)
        addToCount(pet.status, -1)
        search.noteName(id)
        enter(by, 'remove', { petId: id })
        return true
      }),

    restorePets: (ids: readonly bigint[], author: Author): ChangeOutcome =>
      each(ids, [removed, live], 'all or none', author, (pet, id, by) => {
        insert.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null)
        dropRemoved.run(id)
        unmark.run(id)
        addToCount(pet.status, 1)
        search.noteName(id)
        enter(by, 'restore', { petId: id })
        return true
      }),

    noteExport(format: string, by: Author): void {
      enter(by, 'export', { to: exportedValues(format) })
    },

    indexNames: search.indexNames,
    replaceIndex: search.replaceIndex,
  }
}

/**
 * An animal that a form adds is added once: the token of the form is kept. `createPets` adds animals, with all that
 * depends on it, and returns the first id.
 */
export function additionWrites(connection: Connection, createPets: (pets: FlatPets) => bigint) {
  const enter = journalWriter(connection)
  const find = connection.prepare('SELECT pet_id FROM additions WHERE once = ?')
  const keep = connection.prepare('INSERT INTO additions VALUES (?, ?, ?)')
  const forget = connection.prepare(
    'DELETE FROM additions WHERE at_ms < (SELECT at_ms FROM additions ORDER BY at_ms DESC LIMIT 1 OFFSET ?)',
  )
  const live = connection.prepare(LIVE)
  const removed = connection.prepare(REMOVED)
  return {
    addPet(pet: NewPet, by: Author, once: string): Added {
      forget.run(FORMS_KEPT - 1)
      const [known] = (find.get(once) ?? []) as unknown as [bigint?]
      if (known !== undefined) return { pet: toRecord(live.get(known) ?? removed.get(known)), isNew: false }
      const id = createPets([pet.name, pet.categoryId, pet.status ?? null])
      keep.run(once, id, BigInt(by.atMs))
      enter(by, 'add', { petId: id, to: addedValues(pet) })
      return { pet: toRecord(live.get(id)), isNew: true }
    },
  }
}

export function categoryWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    labelCategory(categoryId: bigint, label: string | undefined, by: Author): void {
      const [before] = (connection.prepare('SELECT label FROM categories WHERE id = ?').get(categoryId) ??
        []) as unknown as [string?]
      if (before === label) return
      if (label === undefined) connection.prepare('DELETE FROM categories WHERE id = ?').run(categoryId)
      else connection.prepare('INSERT OR REPLACE INTO categories VALUES (?, ?)').run(categoryId, label)
      enter(by, 'label', { from: labelValues(categoryId, before), to: labelValues(categoryId, label) })
    },
  }
}
