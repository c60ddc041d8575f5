/**
 * A server that breaks nothing, though it differs from the reference: at open points, or in ways that are only
 * suspicious.
 */
import type { Change } from '../mutate.ts'
import type { KitRun } from '../run-kit.ts'

export interface Right {
  readonly what: string
  readonly change: Change
  /** The cases whose notes tell the difference, and what each says. */
  readonly told: Readonly<Record<string, RegExp>>
  /** How the kit is run, where that matters. */
  readonly run: Omit<KitRun, 'change'>
}

type Row = readonly [what: string, change: Change, told?: Right['told'], run?: Right['run']]

export function right(rows: readonly Row[]): readonly Right[] {
  return rows.map(([what, change, told = {}, run = {}]) => ({ what, change, told, run }))
}
