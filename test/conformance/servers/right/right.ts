/**
 * A server that breaks nothing, though it differs from the reference: at open points, or in ways that are only
 * suspicious.
 */
import type { Change } from '../mutate.ts'
import type { KitRun } from '../run-kit.ts'

export interface Right {
  readonly what: string
  readonly change: Change
  /** A case whose note tells the difference, and what it says. */
  readonly toldBy?: readonly [caseId: string, note: RegExp]
  /** How the kit is run, where that matters. */
  readonly run?: Omit<KitRun, 'change'>
}

export function right(what: string, change: Change, toldBy?: Right['toldBy'], run?: Right['run']): Right {
  return { what, change, ...(toldBy && { toldBy }), ...(run && { run }) }
}
