/**
 * What a run found, as data. The reporters turn it into text, JSON, JUnit and HTML. Its JSON Schema is
 * conformance/report.schema.json.
 */
import type { Level } from '../case.ts'
import type { Statement } from '../interface.ts'
import type { CreatedAnimal } from '../kit.ts'

/** Of what was `asked`. `incomplete`: nothing failed, but a case that cites a requirement could not be run. */
export type Verdict = 'passed' | 'failed' | 'incomplete'

export interface Report {
  readonly kit: { readonly version: string; readonly suite: string }
  readonly interfaceVersion: string
  readonly baseUrl: string
  readonly thorough: boolean
  /** The number of cases left out because they leave animals of their own; 0 in a thorough run. */
  readonly leftOut: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly endedAt: string
  /** The verdict of all cases. */
  readonly verdict: Verdict
  /** The verdict of the cases of level `core`. */
  readonly core: Verdict
  /** How many of the cases that can fail were asked, and how many a thorough run would ask. */
  readonly asked: { readonly cases: number; readonly of: number }
  readonly counts: Readonly<Record<Outcome, number>>
  /** How many requests were answered. */
  readonly requests: number
  readonly created: { readonly namePrefix: string; readonly animals: readonly CreatedAnimal[] }
  readonly results: readonly Result[]
}

/**
 * `observed`: how an open point is answered, which is neither right nor wrong. `suspicious`: no statement is broken,
 * but it is probably a mistake. `not applicable`: the operation was removed after its announced date.
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
  /** Set for a case that was not run because this run left nothing to ask, which is not `incomplete`. */
  readonly unasked?: true
  /** The failed case because of which this one was not judged: the fault follows from that case, or is the same. */
  readonly restsOn?: string
  readonly failure?: Failure
  /** Whether the case could not be run because a quota or the time was used up. */
  readonly interrupted: boolean
}

export interface Failure {
  readonly statement: Statement
  /** The text of the statement. */
  readonly sentence: string
  readonly expected: string
  readonly came: string
  /** A line for the shell that sends the request again, with $KEY for the key. */
  readonly request: string
  /** The answer in outline; missing when none came. */
  readonly answer?: { readonly statusLine: string; readonly headers: readonly string[]; readonly body: string }
}
