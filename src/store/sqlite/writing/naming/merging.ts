/**
 * Merges of categories, and their undo: one statement for all animals, in the transaction of the journal's entry. Each
 * animal has its last merge noted (`merged_pets`), so the table is never longer than those of the animals. Animals of
 * an unfinished import are not there yet, and keep their category.
 */

import type { Author } from '../../../author.ts'
import type { Merged, UnmergedAnimals } from '../../../categories.ts'
import { toNaming } from '../../../rules/category-names.ts'
import { labelValues, mergeValues } from '../../../rules/journal.ts'
import type { Connection } from '../../file/connection.ts'
import { CATEGORY_NAMES, toNames } from '../../rows/categories.ts'
import { IS_THERE } from '../../rows/pets.ts'
import { journalWriter, sessionAssertion } from '../journal.ts'

const TABLES = [`pets WHERE ${IS_THERE} AND`, 'removed_pets WHERE'] as const

export function mergeWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const assertSession = sessionAssertion(connection)
  const names = () => toNames(connection.prepare(CATEGORY_NAMES).all())

  return {
    mergeCategories(from: bigint, into: bigint, by: Author): Merged | undefined {
      assertSession(by)
      const label = names().get(from)
      const add = connection.prepare(
        'INSERT INTO merges (at_ms, who, from_id, label, into_id, animals, entry_n) VALUES (?, ?, ?, ?, ?, 0, 0)',
      )
      const n = BigInt(add.run(BigInt(by.atMs), by.who, from, label ?? null, into).lastInsertRowid)
      const animals = TABLES.reduce((sum, table) => {
        const [name] = table.split(' ')
        const note = `INSERT OR REPLACE INTO merged_pets SELECT id, ? FROM ${table} category_id = ?`
        const { changes } = connection.prepare(note).run(n, from)
        const where = table.slice(table.indexOf('WHERE'))
        if (changes > 0)
          connection.prepare(`UPDATE ${name} SET category_id = ? ${where} category_id = ?`).run(into, from)
        return sum + Number(changes)
      }, 0)
      if (animals === 0 && label === undefined) {
        connection.prepare('DELETE FROM merges WHERE n = ?').run(n)
        return undefined
      }
      connection.prepare('DELETE FROM categories WHERE id = ?').run(from)
      enter(by, 'merge', { from: labelValues(from, label), to: mergeValues(n, into, animals) })
      const finish = 'UPDATE merges SET animals = ?, entry_n = (SELECT max(n) FROM journal) WHERE n = ?'
      connection.prepare(finish).run(BigInt(animals), n)
      return { n, animals }
    },

    undoMerge(n: bigint, by: Author): UnmergedAnimals | undefined {
      assertSession(by)
      const find = 'SELECT from_id, label, into_id, animals, entry_n FROM merges WHERE n = ? AND undone_at_ms IS NULL'
      const found = connection.prepare(find).get(n)
      if (found === undefined) return undefined
      const [from, label, into, animals, entryN] = found as unknown as [bigint, string | null, bigint, bigint, bigint]
      const back = TABLES.reduce((sum, table) => {
        const [name] = table.split(' ')
        const { changes } = connection
          .prepare(
            `UPDATE ${name} SET category_id = ?1 WHERE category_id = ?2 AND id IN (
               SELECT pet_id FROM merged_pets WHERE merge_n = ?3
                 AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.pet_id = merged_pets.pet_id AND journal.n > ?4))`,
          )
          .run(from, into, n, entryN)
        return sum + Number(changes)
      }, 0)
      const { changes, shared } = toNaming(names(), new Map([[from, label ?? undefined]]))
      const isFree = shared === undefined && changes.some(({ before, after }) => before === undefined && after)
      if (isFree && label !== null) connection.prepare('INSERT INTO categories VALUES (?, ?)').run(from, label)
      connection.prepare('DELETE FROM merged_pets WHERE merge_n = ?').run(n)
      connection.prepare('UPDATE merges SET undone_at_ms = ? WHERE n = ?').run(BigInt(by.atMs), n)
      const to = labelValues(from, isFree && label !== null ? label : undefined)
      enter(by, 'undo merge', { from: mergeValues(n, into, back), to })
      return { back, kept: Number(animals) - back }
    },
  }
}
