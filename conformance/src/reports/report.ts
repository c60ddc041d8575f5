/** What a run found, as data. Its JSON Schema is conformance/report.schema.json. */
import type { Level } from '../case.ts'
import type { Statement } from '../interface.ts'
import type { CreatedAnimal } from '../kit.ts'

/** `incomplete`: nothing failed, but a case that cites a requirement could not be run. */
export type Verdict = 'passed' | 'failed' | 'incomplete'

export interface Report {
  /** The version of the package. */
  readonly kit: string
  readonly interfaceVersion: string
  readonly baseUrl: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly endedAt: string
  /** The verdict of all cases. */
  readonly verdict: Verdict
  /** The verdict of the cases of level `core`. */
  readonly core: Verdict
  readonly counts: Readonly<Record<Outcome, number>>
  /** How many requests were answered. */
  readonly requests: number
  readonly created: { readonly namePrefix: string; readonly animals: readonly CreatedAnimal[] }
  readonly results: readonly Result[]
}

/** `observed`: how an open point is answered, which is neither right nor wrong. */
export const OUTCOMES = ['passed', 'failed', 'observed', 'not run'] as const
type Outcome = (typeof OUTCOMES)[number]

export interface Result {
  readonly id: string
  readonly title: string
  readonly cites: readonly Statement[]
  readonly level: Level
  readonly outcome: Outcome
  /** What was observed, or why the case was not run. */
  readonly note?: string
  /** Set for a case that was not run because this run left nothing to ask, which is not `incomplete`. */
  readonly unasked?: true
  /** The failed case because of which this one was not judged: the fault follows from that case, or is the same. */
  readonly restsOn?: string
  readonly failure?: Failure
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
  readonly answer?: { readonly status: number; readonly headers: readonly string[]; readonly body: string }
}
