/**
 * Where histories are played: in this process on SQLite, or on nodes of their own with PostgreSQL, with Redis or
 * without.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { startPostgres } from '../support/servers/postgres.ts'
import { startRedis } from '../support/servers/redis.ts'
import { edit, importing, removal, restoration, setStatus, undoing } from './animal-steps.ts'
import { asking } from './asking.ts'
import { BODY_LIMIT, type Engine, type Plan, type Played, playAll, type Setting } from './histories.ts'
import { issuing, revoking, rotating } from './key-steps.ts'
import { type Step, stepsOf } from './kinds.ts'
import { Nodes } from './nodes.ts'
import { adding, changeOfRead, finding, labelling } from './office-steps.ts'
import { Shelter } from './shelter.ts'
import { backingUp, clock, crashing, days, everywhere, puttingBack, restarting, wrongClock } from './time-steps.ts'

const STARTS = ['2026-11-21T12:00:10Z', '2026-11-21T23:59:30Z', '2027-12-31T23:58:00Z', '2030-12-04T23:59:30Z']

const settings: fc.Arbitrary<Setting> = fc.record({
  startMs: fc.constantFrom(...STARTS).map(Date.parse),
  anonymousPerMinute: fc.constantFrom(2, 5, 60),
  ban: fc.constantFrom(
    undefined,
    { refusals: 3, withinMs: 60_000, forMs: 120_000 },
    { refusals: 1, withinMs: 1_000, forMs: 7_200_000 },
    { refusals: 5, withinMs: 3_600_000, forMs: 1_500 },
  ),
})

const inShelter: readonly fc.WeightedArbitrary<Step<Shelter>>[] = [
  ...asking,
  stepsOf(setStatus),
  stepsOf(edit),
  stepsOf(removal),
  stepsOf(restoration),
  stepsOf(importing),
  stepsOf(undoing),
  stepsOf(issuing),
  stepsOf(rotating),
  stepsOf(revoking),
  stepsOf(adding),
  stepsOf(changeOfRead),
  stepsOf(labelling),
  stepsOf(finding),
  stepsOf(clock),
  stepsOf(wrongClock),
  stepsOf(days),
  stepsOf(restarting),
  stepsOf(crashing),
  stepsOf(backingUp),
  stepsOf(puttingBack),
]

/**
 * In this process, on SQLite: the same seed plays the same histories. They are played side by side, in lanes with a
 * seed each, since most of the time of one is waiting for its threads and timers. A failure names the seed of its
 * lane.
 */
export async function playInLanes(plan: Plan, lanes: number): Promise<Played & { readonly seed: number }> {
  if (plan.path !== undefined) return { ...(await playInShelter(plan)), seed: plan.seed }
  const ended = new AbortController()
  const runs = Math.ceil(plan.runs / lanes)
  const playing = Array.from({ length: lanes }, async (_, lane) => {
    const seed = plan.seed + lane
    const played = await playInShelter({ ...plan, seed, runs }, ended.signal)
    if (played.failure !== undefined) ended.abort()
    return { ...played, seed }
  })
  const all = await Promise.all(playing)
  const failed = all.find(({ failure }) => failure !== undefined)
  const sum = (of: (played: Played) => number) => all.reduce((total, played) => total + of(played), 0)
  return {
    histories: sum(({ histories }) => histories),
    steps: sum(({ steps }) => steps),
    failure: failed?.failure,
    seed: failed?.seed ?? plan.seed,
  }
}

function playInShelter(plan: Plan, ended?: AbortSignal): Promise<Played> {
  const open = ({ startMs, anonymousPerMinute, ban }: Setting) =>
    Shelter.open({ startMs, anonymousPerMinute, bodyLimit: BODY_LIMIT, ban, randomBytes: seededBytes(plan.seed) })
  return playAll(plan, { kinds: inShelter, settings, open }, ended)
}

/** Bytes that a seed repeats, for the secrets of keys; no two histories need others. */
export function seededBytes(seed: number): (size: number) => Buffer {
  let drawn = 0
  return (size) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().subarray(0, size)
  }
}

/** By the system's clock nothing is drawn that ends within the time that a command takes. */
const LONG_MS = 3_600_000

const onNodes: Engine<Nodes>['kinds'] = [
  ...asking,
  stepsOf(setStatus),
  stepsOf(edit),
  stepsOf(removal),
  stepsOf(restoration),
  stepsOf(importing),
  stepsOf(undoing),
  stepsOf({ ...issuing, draw: issuing.draw.filter(({ lastsMs = LONG_MS }) => lastsMs >= LONG_MS) }),
  stepsOf({ ...rotating, draw: rotating.draw.filter(({ overlapS }) => overlapS === 0 || overlapS * 1_000 >= LONG_MS) }),
  stepsOf(revoking),
  ...everywhere.map((kind) => stepsOf(kind)),
]

/** On one PostgreSQL: one node, or with Redis two. Each history has a database and a Redis of its own. */
export async function playOnNodes(plan: Plan, engine: 'postgres' | 'cluster'): Promise<Played> {
  await using servers = new AsyncDisposableStack()
  const postgres = await startPostgres()
  servers.defer(() => postgres.stop())
  const settings = fc.record({
    startMs: fc.constant(0).map(() => Date.now()),
    anonymousPerMinute: fc.constantFrom(2, 5, 60),
    ban: fc.constantFrom(undefined, { refusals: 3, withinMs: 60_000, forMs: 4_000 }),
  })
  const open = async ({ anonymousPerMinute, ban }: Setting) =>
    Nodes.open({
      database: await postgres.createDatabase(),
      redis: engine === 'cluster' ? await startRedis() : undefined,
      nodes: engine === 'cluster' ? 2 : 1,
      args: [
        '--anonymous-per-minute',
        `${anonymousPerMinute}`,
        '--body-limit',
        `${BODY_LIMIT}`,
        ...(ban === undefined ? [] : ['--ban-after', `${ban.refusals}`]),
        ...(ban === undefined ? [] : ['--ban-window', `${ban.withinMs / 1_000}`, '--ban-for', `${ban.forMs / 1_000}`]),
      ],
    })
  return await playAll(plan, { kinds: onNodes, settings, open })
}
