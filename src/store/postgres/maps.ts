/** Mappings that are kept by a name, in PostgreSQL. */
import type { KeptMaps } from '../maps.ts'
import type { Database } from './connection/database.ts'

const KEEP = 'INSERT INTO kept_maps VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET rules = excluded.rules'

export class PostgresMaps implements KeptMaps {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async all(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#database.query('SELECT name, rules FROM kept_maps ORDER BY name')
    return new Map(rows.map(([name, rules]) => [name ?? '', JSON.parse(rules ?? '') as string[]]))
  }

  async keep(name: string, rules: readonly string[]): Promise<void> {
    await this.#database.query(KEEP, [name, JSON.stringify(rules)])
  }

  async remove(name: string): Promise<boolean> {
    return (await this.#database.query('DELETE FROM kept_maps WHERE name = $1 RETURNING name', [name])).length > 0
  }
}
