/** Plays histories that fast-check draws from a seed, and shrinks one that fails to its shortest form. */
import fc from 'fast-check'
import type { BanPolicy } from '../model/windows.ts'
import { assertEnd } from './end.ts'
import { History, type Step } from './history.ts'
import { type Failure, Finding } from './part.ts'
import type { Place } from './place.ts'
import { issueOne } from './steps/key-steps.ts'

/** A key's first requests, and those of an address, in small numbers, so that they are used up again and again. */
export interface Setting {
  readonly startMs: number
  readonly anonymousPerMinute: number
  readonly ban: BanPolicy | undefined
}

export interface Plan {
  readonly seed: number
  readonly runs: number
  /** A history has so many steps on average, and twice as many at most. */
  readonly steps: number
  readonly path?: string
  readonly replayPath?: string
  readonly withinMs?: number
  readonly shrinkMs: number
}

export interface Played {
  readonly histories: number
  readonly steps: number
  readonly failure: Failure | undefined
}

/** A place for each history, the settings that it may have, and the steps that are possible there. */
export interface Engine<Where extends Place> {
  readonly kinds: readonly fc.WeightedArbitrary<Step<Where>>[]
  readonly settings: fc.Arbitrary<Setting>
  readonly open: (setting: Setting) => Promise<Where>
}

/** `--body-limit`, so that a body over it is a short one. */
export const BODY_LIMIT = 600
const KEYS = [
  { perMinute: 5, perDay: 15 },
  { perMinute: 1_000, perDay: 100_000 },
]

export async function playAll<Where extends Place>(
  { seed, runs, steps, path, replayPath, shrinkMs, withinMs = Number.POSITIVE_INFINITY }: Plan,
  { kinds, settings, open }: Engine<Where>,
): Promise<Played> {
  let [histories, played, lines]: [number, number, readonly string[]] = [0, 0, []]
  const weighted = kinds.map(({ weight, arbitrary }) => ({ weight: Math.round(weight * 100), arbitrary }))
  const commands = fc.commands([fc.oneof(...weighted)], {
    maxCommands: 2 * steps,
    size: 'max',
    ...(replayPath !== undefined && { replayPath }),
  })
  const endMs = performance.now() + withinMs
  let failedAtMs = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(settings, commands, async (setting, commands) => {
    // What is not tried any more does not fail, so of a failure the shortest form found until then is told.
    if (performance.now() > Math.min(endMs, failedAtMs + shrinkMs)) return
    const history = new History({ ...setting, bodyLimit: BODY_LIMIT }, setting.startMs, () => performance.now() > endMs)
    await using place = await open(setting)
    histories += 1
    try {
      await begin(history, setting, place)
      await fc.asyncModelRun(() => ({ model: history, real: place }), commands)
      await assertEnd(history, place)
    } catch (error) {
      lines = history.lines // the last one that fails is the shortest
      failedAtMs = Math.min(failedAtMs, performance.now())
      throw error
    } finally {
      played += history.steps
    }
  })
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
    seed,
    numRuns: runs,
    ...(path !== undefined && { path }),
  })
  if (!failed) return { histories, steps: played, failure: undefined }
  const shrunk = /replayPath="([^"]*)"/.exec(String(counterexample?.[1]))?.[1] ?? ''
  const again = { seed, path: counterexamplePath ?? '', 'replay-path': shrunk }
  return { histories, steps: played, failure: { message: tellOf(errorInstance), lines, again } }
}

/** Each history has two keys from the beginning: one that is soon used up, and one that never is. */
async function begin(history: History, { startMs, anonymousPerMinute, ban }: Setting, place: Place): Promise<void> {
  history.tell(`# the clock: ${new Date(startMs).toISOString()}`)
  const settings = settingsOf(anonymousPerMinute, ban)
  history.tell(`HOST=http://127.0.0.1:8080; pets serve --trust-proxy 127.0.0.1 ${settings} &`)
  for (const custom of KEYS)
    await issueOne(history, place, { by: 'cli', plan: 'enterprise', custom, lastsMs: undefined })
}

export function settingsOf(anonymousPerMinute: number, ban: BanPolicy | undefined): string {
  const own = `--anonymous-per-minute ${anonymousPerMinute} --body-limit ${BODY_LIMIT}`
  if (ban === undefined) return own
  return `${own} --ban ${ban.refusals}/${ban.withinMs / 1_000}s/${ban.forMs / 1_000}s`
}

function tellOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Finding ? error.message : (error.stack ?? error.message)
}
