/**
 * The workloads: the requests that every target gets. Each is a seeded list, written once to a file that every load
 * generator replays in the same order, so that targets, runs and generators never differ in what was requested.
 */
import { writeFile } from 'node:fs/promises'
import { STATUSES, seededRandom } from './animals.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  /** Path and query, from `/v1` on. */
  readonly target: string
  /** JSON, or empty. */
  readonly body: string
}

export interface Workload {
  readonly name: string
  readonly title: string
  /** How many of the requests create an animal. */
  readonly creates: 'all' | 'some' | 'none'
  /** Requests over a database whose animals have the identifiers 1 to `animals`; another seed gives others. */
  requests(animals: number, seed?: number): Request[]
}

export const LIST20: Request = { method: 'GET', target: '/v1/pets?limit=20&status=available', body: '' }
const LIST100: Request = { method: 'GET', target: '/v1/pets?limit=100', body: '' }
/**
 * More than one run sends, so that no animal of a large table is read again from a cache because the list began anew;
 * few enough for the generator to prepare before it starts.
 */
const RANDOM_REQUESTS = 1 << 18
export const SEED = 20_301_205
/** The warm-up asks for other animals than the run. */
export const WARM_UP_SEED = SEED + 1

type Random = () => number

function fill(one: (random: Random) => Request, seed = SEED): Request[] {
  const random = seededRandom(seed)
  return Array.from({ length: RANDOM_REQUESTS }, () => one(random))
}

function pick<T>(choices: readonly T[], random: Random): T | undefined {
  return choices[Math.floor(random() * choices.length)]
}

function get(animals: number, random: Random): Request {
  return { method: 'GET', target: `/v1/pets/${1 + Math.floor(random() * animals)}`, body: '' }
}

function create(random: Random): Request {
  const name = `Newcomer ${Math.floor(random() * 1_000_000)}`
  const animal = { name, categoryId: 1 + Math.floor(random() * 40), status: pick(STATUSES, random) }
  return { method: 'POST', target: '/v1/pets', body: JSON.stringify(animal) }
}

/** The list of at most `limit` animals, of one status or of all. */
export function list(limit: number, status: string | undefined): Request {
  const filter = status === undefined ? '' : `&status=${status}`
  return { method: 'GET', target: `/v1/pets?limit=${limit}${filter}`, body: '' }
}

function mixed(animals: number, random: Random): Request {
  const share = random()
  if (share < 0.9) return LIST20
  return share < 0.98 ? get(animals, random) : create(random)
}

export const WORKLOADS: readonly Workload[] = [
  { name: 'list20', title: 'the 20 newest available', creates: 'none', requests: () => [LIST20] },
  { name: 'list100', title: 'the 100 newest', creates: 'none', requests: () => [LIST100] },
  {
    name: 'get',
    title: 'one animal, random id',
    creates: 'none',
    requests: (animals, seed) => fill((random) => get(animals, random), seed),
  },
  { name: 'create', title: 'durable creates', creates: 'all', requests: (_animals, seed) => fill(create, seed) },
  {
    name: 'mix',
    title: '90% list20, 8% get, 2% create',
    creates: 'some',
    requests: (animals, seed) => fill((random) => mixed(animals, random), seed),
  },
  {
    name: 'random',
    title: 'list, random limit and status',
    creates: 'none',
    requests: (_animals, seed) =>
      fill((random) => list(1 + Math.floor(random() * 100), pick([...STATUSES, undefined], random)), seed),
  },
]

/** One request a line, `METHOD<tab>TARGET<tab>BODY`: what `load/` replays. */
export async function writeRequests(path: string, requests: readonly Request[]): Promise<void> {
  const lines = requests.map(({ method, target, body }) => `${method}\t${target}\t${body}\n`)
  await writeFile(path, lines.join(''))
}
