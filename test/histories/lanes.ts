/** Histories in this process, on SQLite. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { unlessEnded } from '../support/until.ts'
import { BODY_LIMIT, type Plan, type Played, playAll, type Setting } from './histories.ts'
import { Shelter } from './shelter.ts'
import { animalSteps } from './steps/animal-steps.ts'
import { asking } from './steps/asks.ts'
import { keySteps } from './steps/key-steps.ts'
import { officeSteps } from './steps/office-steps.ts'
import { backupSteps, endSteps, timeSteps } from './steps/time-steps.ts'

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

const inShelter = [
  ...[...asking, ...animalSteps, ...keySteps(), ...officeSteps, ...timeSteps],
  ...[...endSteps({ restart: 0.7, crash: 0.5 }), ...backupSteps],
]

/**
 * In this process, on SQLite: the same seed plays the same histories. They are played side by side, in lanes with a
 * seed and a thread each (lane.ts). A failure names the seed of its lane.
 */
export async function playInLanes(plan: Plan, lanes: number): Promise<Played> {
  if (plan.path !== undefined) return playInShelter(plan)
  const runs = Math.ceil(plan.runs / lanes)
  const threads = Array.from({ length: lanes }, (_, lane) => {
    const own: Plan = { ...plan, seed: plan.seed + lane, runs }
    return new Worker(`${import.meta.dirname}/lane.ts`, { workerData: own })
  })
  const playing = threads.map(async (thread) => {
    const message = once(thread, 'message') as Promise<[Played]>
    const [played] = await unlessEnded(message, once(thread, 'exit'))
    // The others end their history, and begin no more.
    if (played.failure !== undefined) for (const thread of threads) thread.postMessage('end')
    return played
  })
  const all = await Promise.all(playing)
  const sum = (of: (played: Played) => number) => all.reduce((total, played) => total + of(played), 0)
  return {
    histories: sum(({ histories }) => histories),
    steps: sum(({ steps }) => steps),
    failure: all.find(({ failure }) => failure !== undefined)?.failure,
  }
}

export function playInShelter(plan: Plan, ended?: AbortSignal): Promise<Played> {
  const open = ({ startMs, anonymousPerMinute, ban }: Setting) =>
    Shelter.open({ startMs, anonymousPerMinute, bodyLimit: BODY_LIMIT, ban, randomBytes: seededBytes(plan.seed) })
  return playAll(plan, { kinds: inShelter, settings, open }, ended)
}

/** Bytes that a seed repeats, for the secrets of keys; no two histories need others. */
function seededBytes(seed: number): (size: number) => Buffer {
  let drawn = 0
  return (size) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().subarray(0, size)
  }
}
