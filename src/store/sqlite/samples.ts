/** The samples of the dashboard in SQLite. */
import type { Eventual } from '../../common/eventual.ts'
import type { SampleStore, SampleTimes, SavedSample } from '../samples.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import type { Writer } from './writer.ts'

export function sampleOperations(connection: Connection) {
  const add = connection.prepare('INSERT OR REPLACE INTO samples VALUES (?, ?, ?)')
  const drop = connection.prepare('DELETE FROM samples WHERE at_ms <= ? OR at_ms > ?')
  return {
    saveSamples(node: string, samples: readonly SavedSample[], { nowMs, keptMs }: SampleTimes): void {
      for (const { atMs, json } of samples) add.run(node, BigInt(atMs), json)
      drop.run(BigInt(nowMs - keptMs), BigInt(nowMs + keptMs))
    },
  }
}

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
