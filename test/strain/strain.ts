/**
 * Strains one engine, site after site, for as long as told, and shrinks a plan that fails: rounds are left out as long
 * as it still fails.
 */

import { mayOthersRun } from '../support/other-user.ts'
import type { Failure } from '../support/part.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { type Abilities, drawPlan, type Plan } from './plan.ts'
import { type Figures, noFigures, play, type RoundFailure } from './play.ts'
import { mayMount, Site } from './site.ts'

export type Engine = 'sqlite' | 'postgres'

/** Then a new site: what grows with every round is read again after each. */
const ROUNDS = 30
/** A failure that depends on time is not seen each time. */
const TRIES = 2

export async function strain(
  engine: Engine,
  { seed, seconds, shrinkSeconds }: { seed: number; seconds: number; shrinkSeconds: number },
): Promise<{ readonly figures: Figures; readonly failure: Failure | undefined }> {
  const server = engine === 'postgres' ? await startPostgres() : undefined
  const isRoot = process.getuid?.() === 0
  const abilities: Abilities = {
    hasFile: server === undefined,
    mayFill: server === undefined && isRoot && mayMount(),
    mayBeOthers: mayOthersRun,
  }
  const figures = noFigures()
  const once = async (plan: Plan, into: Figures, endMs?: number) => {
    await using site = new Site({
      isNobodys: plan.isNobodys,
      mayFill: abilities.mayFill,
      postgres: await server?.createDatabase(),
    })
    return await play(plan, site, into, endMs) // the site stays until then
  }
  try {
    const endMs = performance.now() + seconds * 1_000
    for (let at = seed; performance.now() < endMs; at += 1) {
      const plan = drawPlan(at, ROUNDS, abilities)
      const found = await once(plan, figures, endMs)
      if (found === undefined) continue
      const shrinkEndMs = performance.now() + shrinkSeconds * 1_000
      const { message, lines } = await shrink(plan, found, shrinkEndMs, (less) => once(less, noFigures()))
      return { figures, failure: { message, lines, again: { engine, seed: at } } }
    }
    const message = 'the time was over before one round had been played; give it more --seconds'
    return { figures, failure: figures.rounds === 0 ? { message, again: { engine } } : undefined }
  } finally {
    await server?.stop()
  }
}

async function shrink(
  plan: Plan,
  failure: RoundFailure,
  endMs: number,
  again: (plan: Plan) => Promise<RoundFailure | undefined>,
): Promise<RoundFailure> {
  let least = failure
  let rounds = plan.rounds.slice(0, failure.round + 1)
  for (let size = Math.ceil(rounds.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < rounds.length; ) {
      const less = { ...plan, rounds: rounds.toSpliced(from, size) }
      let found: RoundFailure | undefined
      for (let n = 0; n < TRIES && found === undefined; n += 1) {
        if (performance.now() >= endMs) return least
        found = await again(less)
      }
      if (found === undefined) from += size
      else {
        least = found
        rounds = less.rounds.slice(0, found.round + 1)
      }
    }
  }
  return least
}
