/**
 * Strains one engine, site after site, for as long as told, and shrinks a plan that fails: rounds are left out as long
 * as it still fails.
 */

import { mayOthersRun } from '../support/other-user.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { type Abilities, drawPlan, type Plan } from './plan.ts'
import { type Failure, type Figures, noFigures, play } from './play.ts'
import { mayMount, Site } from './site.ts'

export type Engine = 'sqlite' | 'postgres'

/** Then a new site: what grows with every round is read again after each. */
const ROUNDS = 30
/** A failure that depends on time is not seen each time. */
const TRIES = 2

interface Findings {
  readonly figures: Figures
  readonly failure: (Failure & { readonly seed: number; readonly rounds: number }) | undefined
}

export async function strain(
  engine: Engine,
  { seed, seconds, shrinkSeconds }: { seed: number; seconds: number; shrinkSeconds: number },
): Promise<Findings> {
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
      const failure = await once(plan, figures, endMs)
      if (failure === undefined) continue
      const shrunk = await shrink(plan, failure, performance.now() + shrinkSeconds * 1_000, (less) =>
        once(less, noFigures()),
      )
      return { figures, failure: { ...shrunk.failure, seed: at, rounds: shrunk.plan.rounds.length } }
    }
    return { figures, failure: undefined }
  } finally {
    await server?.stop()
  }
}

async function shrink(
  plan: Plan,
  failure: Failure,
  endMs: number,
  again: (plan: Plan) => Promise<Failure | undefined>,
): Promise<{ plan: Plan; failure: Failure }> {
  let least = { plan: { ...plan, rounds: plan.rounds.slice(0, failure.round + 1) }, failure }
  for (let size = Math.ceil(least.plan.rounds.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < least.plan.rounds.length; ) {
      const less = { ...plan, rounds: least.plan.rounds.toSpliced(from, size) }
      let found: Failure | undefined
      for (let n = 0; n < TRIES && found === undefined; n += 1) {
        if (performance.now() >= endMs) return least
        found = await again(less)
      }
      if (found === undefined) from += size
      else least = { plan: { ...less, rounds: less.rounds.slice(0, found.round + 1) }, failure: found }
    }
  }
  return least
}
