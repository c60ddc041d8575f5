/**
 * The workloads: the requests that every target gets. Each is a seeded list, written once to a file that every load
 * generator replays in the same order, so that targets, runs and generators never differ in what was requested.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { seededRandom } from '../test/support/random.ts'
import { STATUSES } from './animals.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  /** Path and query, from `/v1` on. */
  readonly target: string
  /** JSON, or empty. */
  readonly body: string
}

/** Makes a request for a database whose animals have the ids 1 to `animals`. */
type Draw = (animals: number, random: () => number) => Request

export interface Workload {
  readonly name: string
  /** The number of different requests. */
  readonly count: number
  readonly draw: Draw
}

const SEED = 20_301_205
/** The warm-up asks for other animals than the run. */
export const WARM_UP_SEED = SEED + 1
/** More than a run sends, so that the list is never replayed from its start. */
const MANY = 1 << 18

export const LIST20: Request = { method: 'GET', target: '/v1/pets?limit=20&status=available', body: '' }

const get: Draw = (animals, random) => {
  const target = `/v1/pets/${1 + Math.floor(random() * animals)}`
  return { method: 'GET', target, body: '' }
}

const create: Draw = (_animals, random) => {
  const status = STATUSES[Math.floor(random() * STATUSES.length)]
  const name = `Newcomer ${Math.floor(random() * 1_000_000)}`
  const animal = { name, categoryId: 1 + Math.floor(random() * 40), status }
  return { method: 'POST', target: '/v1/pets', body: JSON.stringify(animal) }
}

const mix: Draw = (animals, random) => {
  const share = random()
  if (share < 0.9) return LIST20
  return share < 0.98 ? get(animals, random) : create(animals, random)
}

export const WORKLOADS: readonly Workload[] = [
  { name: 'list20', count: 1, draw: () => LIST20 },
  { name: 'get', count: MANY, draw: get },
  { name: 'create', count: MANY, draw: create },
  { name: 'mix', count: MANY, draw: mix },
]

export function requestsOf({ count, draw }: Workload, animals: number, seed = SEED): Request[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => draw(animals, random))
}

/** Writes the requests to a file, one a line: `METHOD<tab>TARGET<tab>BODY`. Returns its path. */
export async function requestsFile(workload: Workload, animals: number, folder: string, seed = SEED): Promise<string> {
  const path = join(folder, `${workload.name}-${seed}.requests`)
  const lines = requestsOf(workload, animals, seed).map(({ method, target, body }) => `${method}\t${target}\t${body}\n`)
  await writeFile(path, lines.join(''))
  return path
}
