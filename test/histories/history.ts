/** A history under way: the model's state, the settings, and what was done as lines for a shell. */
import fc from 'fast-check'
import type { Settings } from '../model/model.ts'
import type { Key } from '../model/operator.ts'
import { Finding } from './part.ts'
import type { Place } from './place.ts'
import { emptyState, type State } from './state.ts'

export class History {
  state: State = emptyState()
  readonly settings: Settings
  readonly backups: { readonly file: string; readonly state: State }[] = []
  readonly lines: string[] = []
  steps = 0
  /** The latest instant that the clock has shown; steps back are counted from it. */
  highestMs: number
  /** Keys as they were before they were revoked or replaced, for as long as a node may still know them so. */
  earlierKeys: readonly { readonly key: Key; readonly untilMs: number }[] = []
  #names = 0

  readonly isOver: () => boolean

  constructor(settings: Settings, startMs: number, isOver: () => boolean) {
    this.settings = settings
    this.isOver = isOver
    this.highestMs = startMs
  }

  tell(line: string): void {
    this.lines.push(line)
  }

  next(): number {
    this.#names += 1
    return this.#names
  }

  /** To be called when a key, as it was before, has been revoked or replaced. */
  noteEarlier(key: Key | undefined, place: Place): void {
    if (key === undefined || place.keysKeptMs === 0) return
    this.earlierKeys = [...this.earlierKeys, { key, untilMs: place.nowMs() + place.keysKeptMs }]
  }

  numberOfKey(id: string): number {
    return [...this.state.keys.keys()].indexOf(id) + 1
  }
}

export function assertSame(what: string, found: unknown, expected: unknown): void {
  const [is, was] = [textOf(found), textOf(expected)]
  if (is !== was) throw new Finding(`${what}: ${is} instead of ${was}`)
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? 'undefined'
}

interface Kind<Values, Where extends Place> {
  readonly name: string
  readonly weight: number
  readonly draw: fc.Arbitrary<Values>
  /** Whether it means anything now; otherwise it is left out. Always, unless told. */
  can?(history: History, values: Values): boolean
  play(history: History, place: Where, values: Values): Promise<void>
}

export type Step<Where extends Place> = fc.AsyncCommand<History, Where>

export function stepsOf<Values, Where extends Place>(kind: Kind<Values, Where>): fc.WeightedArbitrary<Step<Where>> {
  const arbitrary = kind.draw.map((values) => ({
    check: (history: History) => !history.isOver() && (kind.can?.(history, values) ?? true),
    async run(history: History, place: Where) {
      history.steps += 1
      await kind.play(history, place, values)
    },
    toString: () => `${kind.name} ${fc.stringify(values)}`,
  }))
  return { weight: kind.weight, arbitrary }
}

export const fraction = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
export const by = () => fc.constantFrom('cli' as const, 'office' as const)

export function pickOf<T>(from: readonly T[], fraction: number): T | undefined {
  return from[Math.floor(fraction * from.length)]
}

export function picksOf<T>(from: readonly T[], fractions: readonly number[]): readonly T[] {
  return [...new Set(fractions.flatMap((each) => pickOf(from, each) ?? []))]
}
