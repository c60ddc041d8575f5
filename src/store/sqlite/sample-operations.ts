/** Saves the samples of the dashboard, and drops what is older than the hour that it shows. */
import type { SampleTimes, SavedSample } from '../samples.ts'
import type { Connection } from './connection.ts'

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
