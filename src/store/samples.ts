/**
 * What the dashboard has shown lately, so that a restart of the service does not lose the hour before it. Each node has its
 * own samples. They are few and are not part of the data: nothing is restored or copied from them.
 */
import type { Eventual } from '../common/eventual.ts'

export interface SavedSample {
  /** Unix ms. */
  readonly atMs: number
  readonly json: string
}

export interface SampleStore {
  /** Those of a node since `sinceMs`, oldest first. */
  load(node: string, sinceMs: number): Eventual<readonly SavedSample[]>
  /**
   * Adds samples of a node, and deletes those of all nodes that are more than `keptMs` from `nowMs`: older, or from a clock that
   * was wrong. One commit.
   */
  save(node: string, samples: readonly SavedSample[], times: SampleTimes): Eventual<void>
}

export interface SampleTimes {
  readonly nowMs: number
  readonly keptMs: number
}
