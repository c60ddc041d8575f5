/** Histories in this process, on SQLite. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
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

export function playInShelter(plan: Plan): Promise<Played> {
  const open = ({ startMs, anonymousPerMinute, ban }: Setting) =>
    Shelter.open({ startMs, anonymousPerMinute, bodyLimit: BODY_LIMIT, ban, randomBytes: seededBytes(plan.seed) })
  return playAll(plan, { kinds: inShelter, settings, open })
}

/** Bytes that a seed repeats, for the secrets of keys; no two histories need others. */
function seededBytes(seed: number): (size: number) => Buffer {
  let drawn = 0
  return (size) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().subarray(0, size)
  }
}
