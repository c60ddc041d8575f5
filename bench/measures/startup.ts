/** Start-up: from spawning the process to the first answer to a request with a key. Targets take turns. */
import type { Cores } from '../machine.ts'
import { withServer } from '../server.ts'
import type { Target } from '../target.ts'

export interface StartUp {
  readonly target: Target
  readonly samplesMs: number[]
}

export async function measureStartUp(
  targets: readonly Target[],
  animals: number,
  starts: number,
  cores: Cores,
): Promise<StartUp[]> {
  const results = targets.map((target): StartUp => ({ target, samplesMs: [] }))
  // The first start of each target only warms what an operator's second start finds warm: the file cache and compiled
  // code.
  for (let round = 0; round <= starts; round++) {
    for (const { target, samplesMs } of results) {
      const seed = await target.seed(animals)
      const firstAnswerMs = await withServer(
        seed,
        { pins: cores.servers, env: {} },
        async (server) => server.firstAnswerMs,
      )
      if (round > 0) samplesMs.push(firstAnswerMs)
    }
  }
  return results
}
