/** The samples of the dashboard in SQLite. */
import type { Eventual } from '../../common/eventual.ts'
import type { SampleStore, SampleTimes, SavedSample } from '../samples.ts'
import type { Database } from './database.ts'
import type { Writer } from './writer.ts'

export class SqliteSamples implements SampleStore {
  readonly #database: Database
  readonly #writer: Writer
  readonly #load

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#load = database.prepare('SELECT at_ms, sample FROM samples WHERE node = ? AND at_ms > ? ORDER BY at_ms')
  }

  load(node: string, sinceMs: number): readonly SavedSample[] {
    const rows = this.#database.read(() => this.#load.all(node, BigInt(sinceMs))) as unknown as [bigint, string][]
    return rows.map(([atMs, json]) => ({ atMs: Number(atMs), json }))
  }

  save(node: string, samples: readonly SavedSample[], times: SampleTimes): Eventual<void> {
    return this.#writer.run('saveSamples', node, samples, times)
  }
}
