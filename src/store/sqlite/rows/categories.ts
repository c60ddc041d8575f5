/** The names of categories in SQLite, for reading and for changing them. */
export const CATEGORY_NAMES = 'SELECT id, label FROM categories ORDER BY id'

export function toNames(rows: readonly unknown[]): ReadonlyMap<bigint, string> {
  return new Map(rows as readonly [bigint, string][])
}
