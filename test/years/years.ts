/**
 * Years of a service and those who use it, drawn from a seed: the steps of the histories (test/histories), people of
 * the office, and time that passes, with all that the service does by itself. Every answer and all that is stored is
 * held to the model. The same seed leaves the same trace.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { purge } from '../histories/acts.ts'
import { assertEnd } from '../histories/end.ts'
import { BODY_LIMIT } from '../histories/histories.ts'
import { assertSame, History } from '../histories/history.ts'
import { type Kind, type Step, stepsOf } from '../histories/kinds.ts'
import { seededBytes } from '../histories/lanes.ts'
import { isInForce, noteSaved } from '../histories/state.ts'
import { edit, importing, removal, restoration, setStatus, undoing } from '../histories/steps/animal-steps.ts'
import { ask, asking } from '../histories/steps/asking.ts'
import type { Ask } from '../histories/steps/asks.ts'
import { issueOne, issuing, revoking, rotating } from '../histories/steps/key-steps.ts'
import { clock, restarting, wrongClock } from '../histories/steps/time-steps.ts'
import { House } from './house.ts'
import { invitationSteps, sessionSteps } from './people.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** R12. */
const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')
const BACKUP_EVERY_MS = 60 * DAY_MS
const KEPT_BACKUPS = 3
/** Of the first keys: one is used up again and again, one never. */
const KEYS = [
  { perMinute: 5, perDay: 15 },
  { perMinute: 1_000, perDay: 100_000 },
]
/** So many steps are drawn at once. */
const DRAWN = 500

interface Life {
  readonly seed: number
  readonly fromMs: number
  readonly toMs: number
}

export interface Lived {
  /** Of everything that was done, answered, logged and stored. */
  readonly trace: string
  readonly lines: readonly string[]
  /** How often what happened. */
  readonly counts: ReadonlyMap<string, number>
  readonly failure: string | undefined
}

const GET_PET: Ask = {
  ...{ method: 'GET', target: '/v1/pets/{ID}', body: undefined },
  ...{ key: { of: 'in force', at: 0 }, pick: 0.5, client: 1, times: 1 },
}

const MOMENTS = {
  'some ms': () => 7,
  'a second': () => 1_000,
  'half a minute': () => 30_000,
  '20 minutes': () => 20 * MINUTE_MS,
  'to the last ms of the minute': (nowMs: number) => MINUTE_MS - 1 - (nowMs % MINUTE_MS),
  'to the next minute': (nowMs: number) => MINUTE_MS - (nowMs % MINUTE_MS),
}
const TIMES = {
  'an hour': () => HOUR_MS,
  'five hours': () => 5 * HOUR_MS,
  'to the last ms of the day': (nowMs: number) => DAY_MS - 1 - (nowMs % DAY_MS),
  'to the next day': (nowMs: number) => DAY_MS - (nowMs % DAY_MS),
  'a day': () => DAY_MS,
  'two days': () => 2 * DAY_MS,
  'four days': () => 4 * DAY_MS,
}

/** The key with the smallest plan asks for far more than it may, which bans it. */
const bursting: Kind<Record<string, never>, House> = {
  name: 'a burst',
  weight: 2,
  draw: fc.constant({}),
  async play(history, place) {
    const inForce = [...history.state.keys.values()].filter((key) => isInForce(key, place.nowMs()))
    const least = inForce.reduce(
      (least, { perMinute }, n) => (perMinute < (inForce[least]?.perMinute ?? 0) ? n : least),
      0,
    )
    const key = { of: 'in force', at: (least + 0.5) / inForce.length } as const
    if (inForce.length > 0) await ask(history, place, { ...GET_PET, target: '/v1/pets', key, times: 10 })
  },
}

function passing(name: string, weight: number, lengths: Readonly<Record<string, (nowMs: number) => number>>) {
  const kind: Kind<{ of: string }, House> = {
    name,
    weight,
    draw: fc.record({ of: fc.constantFrom(...Object.keys(lengths)) }),
    async play(history, place, { of }) {
      await pass(history, place, lengths[of]?.(place.nowMs()) ?? 0, of)
    },
  }
  return kind
}

/** Stops where getPet is removed, and asks for it just before and then. */
async function pass(history: History, place: House, ms: number, why: string): Promise<void> {
  const leftMs = REMOVAL_MS - place.nowMs()
  if (leftMs <= 1 || ms < leftMs) return passOnce(history, place, ms, why)
  await passOnce(history, place, leftMs - 1, 'to the last ms of getPet')
  await ask(history, place, GET_PET)
  await passOnce(history, place, 1, 'to its removal')
  await ask(history, place, GET_PET)
  await passOnce(history, place, ms - leftMs, why)
}

async function passOnce(history: History, place: House, ms: number, why: string): Promise<void> {
  history.tell(`# ${why}: ${new Date(place.nowMs() + ms).toISOString()}`)
  const { purges, sweeps } = place.done
  await place.pass(ms)
  history.highestMs = Math.max(history.highestMs, place.nowMs())
  if (ms >= HOUR_MS) assertSame('whether the service has purged in an hour', place.done.purges > purges, true)
  if (ms >= MINUTE_MS) assertSame('whether it has forgotten old counts in a minute', place.done.sweeps > sweeps, true)
  const sinceMs = place.clock.monotonic() - place.done.backedUpAtMs
  assertSame('whether a backup is due and not made', sinceMs >= BACKUP_EVERY_MS, false)
  // One that is dated later than now counts for nothing.
  assertSame('whether there are too many backups', place.backups().length > KEPT_BACKUPS + 1, false)
}

export async function live({ seed, fromMs, toMs }: Life): Promise<Lived> {
  const trace = createHash('sha256')
  const counts = new Map<string, number>()
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
  const ban = { refusals: 3, withinMs: MINUTE_MS, forMs: 2 * HOUR_MS }
  const settings = { anonymousPerMinute: 5, ban, bodyLimit: BODY_LIMIT }
  const history = new History(settings, fromMs, () => false)
  const note = (line: string) => trace.update(`${line}\n`)
  const place = await House.open({
    ...settings,
    startMs: fromMs,
    backups: { everyMs: BACKUP_EVERY_MS, keep: KEPT_BACKUPS },
    randomBytes: seededBytes(seed),
    onPurge: () => purge(history.state, place.nowMs()),
    onSweep: () => noteSaved(history.state, place.nowMs()),
    onAnswer: ({ status, headers, body }) => {
      count(`answered ${status}`)
      if (Number(headers.get('retry-after')) * 1_000 === ban.forMs) count('bans begun')
      const limits = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
      note(`${status} ${limits.join(' ')} ${headers.get('retry-after')} ${headers.get('location')} ${body}`)
    },
    onLog: (sentence) => {
      count(sentence.replace(/\d.*$/, '').trim())
      note(sentence)
    },
  })
  let told = 0
  try {
    for (const custom of KEYS) {
      await issueOne(history, place, { by: 'cli', plan: 'enterprise', custom, lastsMs: undefined })
    }
    for (const step of drawn(seed)) {
      if (place.nowMs() >= toMs) break
      const day = Math.floor(place.nowMs() / DAY_MS)
      if (step.check(history)) await step.run(history, place)
      if (Math.floor(place.nowMs() / DAY_MS) > day) count('midnights')
      count('steps')
      for (const line of history.lines.slice(told)) note(line)
      told = history.lines.length
    }
    await assertEnd(history, place)
    note(JSON.stringify([await place.exported(), place.backups(), history.state.journal], textOfBigint))
    return { trace: trace.digest('hex'), lines: history.lines, counts, failure: undefined }
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { trace: trace.digest('hex'), lines: history.lines, counts, failure }
  } finally {
    await place[Symbol.asyncDispose]()
  }
}

const textOfBigint = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

function* drawn(seed: number): Iterable<Step<House>> {
  const kinds: readonly fc.WeightedArbitrary<Step<House>>[] = [
    ...asking,
    stepsOf(setStatus),
    stepsOf(edit),
    stepsOf({ ...removal, weight: 3 }),
    stepsOf(restoration),
    stepsOf(importing),
    stepsOf(undoing),
    stepsOf({ ...issuing, weight: 1 }),
    stepsOf(rotating),
    stepsOf(revoking),
    ...invitationSteps(pass),
    ...sessionSteps(pass),
    stepsOf(bursting),
    stepsOf(passing('moments', 20, MOMENTS)),
    stepsOf(passing('time', 34, TIMES)),
    stepsOf({ ...clock, weight: 2 }),
    stepsOf(wrongClock),
    stepsOf({ ...restarting, weight: 0.3 }),
  ]
  const weighted = kinds.map(({ weight, arbitrary }) => ({ weight: Math.round(weight * 100), arbitrary }))
  for (let n = 0; ; n += 1) yield* fc.sample(fc.oneof(...weighted), { seed: seed * 1_000 + n, numRuns: DRAWN })
}
