/**
 * What a run found, as data. The reporters make text, JSON, JUnit and HTML of it, and nothing else. Its JSON Schema is
 * conformance/report.schema.json.
 */
import type { Level } from '../case.ts'
import type { CreatedAnimal } from '../kit.ts'
import type { Statement } from '../statements.ts'

/** `incomplete`: nothing failed, but a case that cites a requirement could not be run. */
export type Verdict = 'passed' | 'failed' | 'incomplete'

export interface Report {
  readonly kit: { readonly version: string; readonly suite: string }
  readonly interfaceVersion: string
  readonly baseUrl: string
  readonly thorough: boolean
  /** How many cases were not asked because they leave animals of their own; none in a thorough run. */
  readonly leftOut: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly endedAt: string
  /** Of all cases: what the interface says, of every response. */
  readonly verdict: Verdict
  /** Of the cases of level `core` alone. */
  readonly core: Verdict
  readonly counts: Readonly<Record<Outcome, number>>
  /** How many requests were answered. */
  readonly requests: number
  readonly created: { readonly namePrefix: string; readonly animals: readonly CreatedAnimal[] }
  readonly results: readonly Result[]
}

/**
 * `observed`: how an open point is answered, which can be neither right nor wrong. `suspicious`: nothing is broken, but
 * it is hardly meant. `not applicable`: the operation was removed when its time had come.
 */
export const OUTCOMES = ['passed', 'failed', 'suspicious', 'observed', 'not run', 'not applicable'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Result {
  readonly id: string
  readonly section: string
  readonly title: string
  readonly cites: readonly Statement[]
  readonly level: Level
  readonly outcome: Outcome
  /** How long the case took, its waits included. */
  readonly tookMs: number
  /** What was observed, or why the case was not run. */
  readonly note?: string
  /** Not judged, because this case has failed: what was wrong here follows from it, or is the same. */
  readonly restsOn?: string
  readonly failure?: Failure
  /** The case could not be run because an allowance was used up, or the time. */
  readonly interrupted: boolean
}

export interface Failure {
  readonly statement: Statement
  /** The statement in a sentence. */
  readonly sentence: string
  readonly expected: string
  readonly came: string
  /** A line for the shell that sends the request again, with $KEY for the key. */
  readonly request: string
  /** The answer in outline; missing when none came. */
  readonly answer?: { readonly statusLine: string; readonly headers: readonly string[]; readonly body: string }
}
