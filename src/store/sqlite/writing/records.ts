/** Changes of animals by people, each with its journal entry in the same transaction. */

import type { NewPet } from '../../../contract/schemas.ts'
import type { Author } from '../../author.ts'
import type { Added, ChangeOutcome, Choice, PetChanges, PetRecord, Reach, Target, Whose } from '../../records.ts'
import { FORMS_KEPT } from '../../rules/bounds.ts'
import { addedValues, exportedValues } from '../../rules/journal.ts'
import { difference, sortTargets, versionsOf } from '../../shared/changes.ts'
import type { PetValues } from '../../sync.ts'
import type { Connection } from '../file/connection.ts'
import type { Statement } from '../file/statement.ts'
import type { FlatPets } from '../rows/pets.ts'
import { LIVE, LIVE_BRIEF, REMOVED, toRecord } from '../rows/records.ts'
import { journalWriter } from './journal.ts'
import { countWriter, INSERT_WITH_ID } from './pets.ts'
import { searchWrites } from './search-index.ts'

/** What changes an animal, with all that depends on it except the journal. */
export function petMoves(connection: Connection) {
  const search = searchWrites(connection)
  const addToCount = countWriter(connection)
  const update = connection.prepare(
    'UPDATE pets SET name = coalesce(?, name), category_id = ?, status = ? WHERE id = ?',
  )
  const keepRemoved = connection.prepare('INSERT INTO removed_pets VALUES (?, ?, ?, ?, ?)')
  const remove = connection.prepare('DELETE FROM pets WHERE id = ?')
  const insert = connection.prepare(INSERT_WITH_ID)
  const dropRemoved = connection.prepare('DELETE FROM removed_pets WHERE id = ?')
  return {
    /** Without a name it keeps its own. */
    change(
      id: bigint,
      statusBefore: string | null,
      { name, categoryId, status }: { name: string | null; categoryId: bigint; status: string | null },
    ): void {
      update.run(name, categoryId, status, id)
      addToCount(statusBefore, -1)
      addToCount(status, 1)
      if (name !== null) search.noteName(id)
    },
    remove(id: bigint, { name, categoryId, status }: PetValues, atMs: number): void {
      keepRemoved.run(id, name, categoryId, status, BigInt(atMs))
      remove.run(id)
      addToCount(status, -1)
      search.noteName(id)
    },
    restore(id: bigint, { name, categoryId, status }: PetValues): void {
      insert.run(id, name, categoryId, status)
      dropRemoved.run(id)
      addToCount(status, 1)
      search.noteName(id)
    },
  }
}

export function recordWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const search = searchWrites(connection)
  const moves = petMoves(connection)
  const live = connection.prepare(LIVE)
  const brief = connection.prepare(LIVE_BRIEF)
  const removed = connection.prepare(REMOVED)
  const isOpen = ownership(connection)

  return {
    changePets(targets: readonly Target[], changes: PetChanges, author: Author, reach: Reach): ChangeOutcome {
      const one = reach === 'all that can be' && changes.name === undefined ? brief : live
      return each(targets, [one, one], reach, author, (pet, id, by) => {
        const values = difference(pet, changes)
        if (values === undefined) return false
        moves.change(id, pet.status ?? null, {
          name: changes.name === undefined || changes.name === pet.name ? null : changes.name,
          categoryId: changes.categoryId ?? BigInt(pet.categoryId),
          status: changes.status === undefined ? (pet.status ?? null) : changes.status,
        })
        enter(by, 'edit', { petId: id, ...values })
        return true
      })
    },

    removePets(targets: readonly Target[], author: Author, whose: Whose): ChangeOutcome {
      const work = (pet: PetRecord, id: bigint, by: Author) => {
        moves.remove(id, valuesOf(pet), by.atMs)
        enter(by, 'remove', { petId: id })
        return true
      }
      return each(targets, [live, removed], 'all or none', author, work, isOpen(whose, 'add', author))
    },

    restorePets(targets: readonly Target[], author: Author, whose: Whose): ChangeOutcome {
      const work = (pet: PetRecord, id: bigint, by: Author) => {
        moves.restore(id, valuesOf(pet))
        enter(by, 'restore', { petId: id })
        return true
      }
      return each(targets, [removed, live], 'all or none', author, work, isOpen(whose, 'remove', author))
    },

    noteExport(format: string, animals: Choice, by: Author): void {
      enter(by, 'export', { to: exportedValues(format, animals) })
    },

    indexNames: search.indexNames,
    replaceIndex: search.replaceIndex,
  }
}

function valuesOf({ name, categoryId, status }: PetRecord): PetValues {
  return { name, categoryId: BigInt(categoryId), status: status ?? null }
}

/**
 * Runs `work` for the animals that `reach` allows, found by `source` before and by `result` after it, with one
 * reading of the author's time for all.
 */
function each(
  targets: readonly Target[],
  [source, result]: readonly [Statement, Statement],
  reach: Reach,
  author: Author,
  work: (pet: PetRecord, id: bigint, by: Author) => boolean,
  isOpen: (pet: PetRecord) => boolean = () => true,
): ChangeOutcome {
  const by = { ...author }
  const versions = versionsOf(targets)
  const pets = [...versions.keys()].flatMap((id) => toRecord(source.get(id)) ?? [])
  const { reached, missing, conflicts } = sortTargets(versions, pets, reach, isOpen)
  const changed = reached.filter((pet) => work(pet, BigInt(pet.id), by)).length
  const now = reached.flatMap(({ id }) => toRecord(result.get(BigInt(id))) ?? [])
  return { changed, pets: now, missing, conflicts }
}

/** Whether a removal or a return may reach an animal. */
function ownership(connection: Connection) {
  const own = connection.prepare(
    `SELECT 1 FROM journal AS mine WHERE pet_id = ?1 AND act = ?2 AND who = ?3
       AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = ?1 AND n > mine.n AND who <> ?3)`,
  )
  return (whose: Whose, act: 'add' | 'remove', { who }: Author) =>
    (pet: PetRecord) =>
      whose === 'any' || own.get(BigInt(pet.id), act, who) !== undefined
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
