/**
 * The bare runtimes as targets. The bodies they send are recorded from a target that really answers, over the same
 * animals, so that all move the same bytes.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STATUSES } from './animals.ts'
import { ANYWHERE } from './machine.ts'
import { type Answer, ask } from './measures/verify.ts'
import { withServer } from './server.ts'
import type { Seed, Target } from './target.ts'
import type { RecordedBodies } from './targets/raw.ts'
import { list, type Request } from './workloads.ts'

const LARGEST_LIMIT = 100

export const NODE_RUNTIME = {
  name: 'raw',
  title: 'bare node:http',
  argv: [process.execPath, join(import.meta.dirname, 'targets/raw.ts')],
} as const

async function record(reference: Target, animals: number): Promise<RecordedBodies> {
  return withServer(await reference.seed(animals), { pins: [ANYWHERE], env: {} }, async (server) => {
    const body = async (request: Request) => (await ask(server, request)).text
    /** Of every answer at an animal's path, so that these bytes too are the same. */
    const deprecation = ({ headers }: Answer) => ['sunset', 'link'].flatMap((name) => [name, headers.get(name) ?? ''])
    const lists: Record<string, string> = {}
    for (let limit = 1; limit <= LARGEST_LIMIT; limit++) {
      for (const status of [...STATUSES, undefined]) {
        const request = list(limit, status)
        lists[request.target] = await body(request)
      }
    }
    const middle = Math.ceil(animals / 2)
    const pet = await ask(server, { method: 'GET', target: `/v1/pets/${middle}`, body: '' })
    return {
      lists,
      pet: pet.text,
      petHeaders: deprecation(pet),
      created: await body({
        method: 'POST',
        target: '/v1/pets',
        body: '{"name":"Newcomer 500000","categoryId":20,"status":"pending"}',
      }),
    }
  })
}

interface Runtime {
  readonly name: string
  readonly title: string
  /** The program, and what it runs. */
  readonly argv: readonly [program: string, file: string]
}

/** A target for each of the runtimes, all with the same bodies. */
export function rawTargets(runtimes: readonly Runtime[], reference: Target, workFolder: string): Target[] {
  async function build(animals: number): Promise<string> {
    const path = join(workFolder, `raw-${animals}.json`)
    // Recorded as any client would see it, with the key of the reference; the bare server never looks at one.
    await writeFile(path, JSON.stringify(await record(reference, animals)))
    return path
  }
  const paths = new Map<number, Promise<string>>()
  return runtimes.map(({ name, title, argv }) => ({
    name,
    title: `${title} sending the ready bytes of ${reference.name}`,
    stores: false,
    nodes: 1,
    async seed(animals): Promise<Seed> {
      const path = await paths.getOrInsertComputed(animals, build)
      const { key } = await reference.seed(animals)
      return {
        key,
        launch: async () => ({ argv: [...argv, '--bodies', path], nodes: 1, discard: () => Promise.resolve() }),
      }
    },
  }))
}
