/** How people have confirmed that lists are read (animals-file/mapping.ts). */
import type { Author } from './author.ts'
import { Repository, table } from './sql.ts'

export type Layout = ReturnType<typeof LAYOUT.row>

const LAYOUT = table({ n: 'bigint', mapping: 'text', list: 'text', who: 'text', atMs: 'int' })
const MOST_LAYOUTS = 100

export class Layouts extends Repository {
  /** Newest first. */
  list(): Promise<readonly Layout[]> {
    return LAYOUT.select(this.db.read, 'FROM layouts ORDER BY at_ms DESC, n DESC')
  }

  keep(
    { n, mapping, list }: Pick<Layout, 'mapping' | 'list'> & { readonly n: bigint | undefined },
    by: Author,
  ): Promise<void> {
    return this.db.write(async (sql) => {
      const values = [mapping, list, by.who, by.atMs]
      const set = 'UPDATE layouts SET mapping = $1, list = $2, who = $3, at_ms = $4 WHERE n = $5 RETURNING n'
      if (n !== undefined && (await sql(set, [...values, n])).length > 0) return
      await sql('INSERT INTO layouts (mapping, list, who, at_ms) VALUES ($1, $2, $3, $4)', values)
      const newest = `SELECT n FROM layouts ORDER BY at_ms DESC, n DESC LIMIT ${MOST_LAYOUTS}`
      await sql(`DELETE FROM layouts WHERE n NOT IN (${newest})`)
    })
  }

  forget(n: bigint): Promise<boolean> {
    return this.db.write(async (sql) => (await sql('DELETE FROM layouts WHERE n = $1 RETURNING n', [n])).length > 0)
  }
}
