/** Names of categories, each change with its journal entry in the same transaction. */

import type { Author } from '../../../author.ts'
import type { SharedName } from '../../../categories.ts'
import { toNaming } from '../../../rules/category-names.ts'
import { labelValues, NAMED_MEANWHILE } from '../../../rules/journal.ts'
import { StoreUnusable } from '../../../store.ts'
import type { Connection } from '../../file/connection.ts'
import { CATEGORY_NAMES, toNames } from '../../rows/categories.ts'
import { journalWriter } from '../journal.ts'

export function categoryWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    nameCategories(names: ReadonlyMap<bigint, string | undefined>, by: Author): SharedName | undefined {
      const { changes, shared } = toNaming(categoryNames(connection), names)
      if (shared !== undefined) return shared
      const forget = connection.prepare('DELETE FROM categories WHERE id = ?')
      const name = connection.prepare('INSERT OR REPLACE INTO categories VALUES (?, ?)')
      for (const { id, before, after } of changes) {
        if (after === undefined) forget.run(id)
        else name.run(id, after)
        enter(by, 'label', { from: labelValues(id, before), to: labelValues(id, after) })
      }
      return undefined
    },
  }
}

/** Names the new categories of an import. Throws StoreUnusable if one, or one of the names, is there meanwhile. */
export function nameNewCategories(connection: Connection, names: ReadonlyMap<bigint, string>, by: Author): void {
  const there = categoryNames(connection)
  const isTaken = [...names.keys()].some((id) => there.has(id))
  if (isTaken || categoryWrites(connection).nameCategories(names, by) !== undefined) {
    throw new StoreUnusable(NAMED_MEANWHILE)
  }
}

function categoryNames(connection: Connection): ReadonlyMap<bigint, string> {
  return toNames(connection.prepare(CATEGORY_NAMES).all())
}
