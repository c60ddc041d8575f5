/** A kind of step: how one is drawn, when it can be played, and how; fast-check's commands are made of them here. */
import fc from 'fast-check'
import type { History } from './history.ts'
import type { Place } from './place.ts'

export interface Kind<Values, Where extends Place> {
  readonly name: string
  /** How often, against the others. */
  readonly weight: number
  readonly draw: fc.Arbitrary<Values>
  /** Whether it means anything now; otherwise it is left out. Always, unless told. */
  can?(history: History, values: Values): boolean
  /** Throws a Finding. */
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

/** The element at a fraction of the list. */
export function pickOf<T>(from: readonly T[], fraction: number): T | undefined {
  return from[Math.floor(fraction * from.length)]
}

/** The elements at these fractions, each once. */
export function picksOf<T>(from: readonly T[], fractions: readonly number[]): readonly T[] {
  return [...new Set(fractions.flatMap((each) => pickOf(from, each) ?? []))]
}
