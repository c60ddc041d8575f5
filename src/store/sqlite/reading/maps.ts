/** Mappings that are kept by a name, in SQLite. */
import type { Eventual } from '../../../common/eventual.ts'
import type { KeptMaps } from '../../maps.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

export class SqliteMaps implements KeptMaps {
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  all(): ReadonlyMap<string, readonly string[]> {
    const all = this.#database.prepare('SELECT name, rules FROM kept_maps ORDER BY name')
    const rows = this.#database.read(() => all.all()) as unknown as [name: string, rules: string][]
    return new Map(rows.map(([name, rules]) => [name, JSON.parse(rules) as string[]]))
  }

  keep(name: string, rules: readonly string[]): Eventual<void> {
    return this.#writer.run('keepMap', name, rules)
  }

  remove(name: string): Eventual<boolean> {
    return this.#writer.run('removeMap', name)
  }
}
