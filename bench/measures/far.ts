/** Lists on many connections while the database is far away, as in another data centre. */
import { withServer } from '../server.ts'
import type { Engine } from '../target.ts'
import { WORKLOADS } from '../workloads.ts'
import { type Conditions, median, requestsFile } from './throughput.ts'
import { verify } from './verify.ts'

/** The time of a round trip to the database, in ms. */
export const FAR_MS = 20
export const FAR_CONNECTIONS = 500

export interface FarRates {
  /** Lists of 20 per second. */
  readonly ours: number
  readonly peer: number
}

/** Throws if any response was an error: none is refused because the database is far. Undefined for an embedded one. */
export async function measureFar(
  engine: Engine,
  animals: number,
  { runs, seconds, load, cores, workFolder, say }: Conditions,
): Promise<FarRates | undefined> {
  const list20 = WORKLOADS.find(({ name }) => name === 'list20')
  await using far = await engine.far?.(FAR_MS)
  if (far === undefined || list20 === undefined) return undefined
  const file = await requestsFile(list20, animals, workFolder)
  const rates = new Map<string, number[]>()
  for (let round = 0; round < runs; round += 1) {
    for (const target of far.targets) {
      const { requests, seconds: lasted } = await withServer(
        await target.seed(animals),
        { pins: cores.servers, env: {} },
        async (server) => {
          await verify(server, target, list20, animals)
          await load.run(server.ports, server.key, file, 1, FAR_CONNECTIONS)
          return load.run(server.ports, server.key, file, seconds, FAR_CONNECTIONS)
        },
      )
      rates.getOrInsertComputed(target.name, () => []).push(requests / lasted)
      say(`run ${round + 1}/${runs}: list20, ${target.name}, ${FAR_MS} ms away: ${Math.round(requests / lasted)}/s`)
    }
  }
  return { ours: median(rates.get('ours') ?? []), peer: median(rates.get('peer') ?? []) }
}
