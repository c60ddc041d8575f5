/**
 * Fills the column `folded` (../../sql.ts) where whoever wrote a text did not: nodes of a version before 2.0.0, which
 * know no such column, while an update goes from node to node.
 */
import { type Cell, foldedOf, type Sql, text } from '../../sql.ts'

/** The texts that are searched for. */
const TEXTS = [
  ['pets', 'name', 'bigint'],
  ['removed_pets', 'name', 'bigint'],
  ['keys', 'label', 'text'],
] as const

const ROWS_TOGETHER = 1_000

/** Reads all texts that are not plain, or that are taken for one that is not; most are plain, and keep NULL. */
export async function foldTexts(query: Sql): Promise<void> {
  for (const [table, column, idType] of TEXTS) {
    const select = `SELECT id, ${column}, folded FROM ${table}
      WHERE (folded IS NOT NULL OR ${column} !~ '^[!-_a-~]*( [!-_a-~]+)*$') AND ($1::${idType} IS NULL OR id > $1)
      ORDER BY id LIMIT ${ROWS_TOGETHER}`
    for (let last: Cell = null; ; ) {
      const rows = await query(select, [last])
      const wrong = rows.filter(([, original, folded]) => foldedOf(text(original)) !== folded)
      // A text that has changed meanwhile is folded by whoever has changed it, or next time.
      if (wrong.length > 0) {
        await query(
          `UPDATE ${table} SET folded = input.folded
           FROM unnest($1::${idType}[], $2::text[], $3::text[]) AS input (id, text, folded)
           WHERE ${table}.id = input.id AND ${table}.${column} = input.text`,
          [
            wrong.map(([id]) => id ?? null),
            wrong.map((row) => text(row[1])),
            wrong.map((row) => foldedOf(text(row[1]))),
          ],
        )
      }
      if (rows.length < ROWS_TOGETHER) break
      last = rows.at(-1)?.[0] ?? null
    }
  }
}
