/**
 * A server that breaks nothing, though it differs from the reference: at open points, or in ways that are only
 * suspicious.
 */
import type { Change } from '../mutate.ts'

export interface Right {
  readonly what: string
  readonly change: Change
  /** A case whose note tells the difference, and what it says. */
  readonly toldBy?: readonly [caseId: string, note: RegExp]
}

export function right(what: string, change: Change, toldBy?: Right['toldBy']): Right {
  return toldBy === undefined ? { what, change } : { what, change, toldBy }
}
