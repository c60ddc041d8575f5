/** The result of a run, as data. Its JSON Schema is conformance/report.schema.json. */
import type { Level } from '../case.ts'
import type { Requirement, Statement } from '../interface.ts'
import type { CreatedAnimal } from '../kit.ts'

/** `incomplete`: nothing failed, but a requirement could not be tested. */
export type Verdict = 'passed' | 'failed' | 'incomplete'

export interface Report {
  readonly kit: string
  readonly interfaceVersion: string
  readonly baseUrl: string
  readonly startedAt: string
  readonly endedAt: string
  readonly verdict: Verdict
  readonly core: Verdict
  readonly counts: Readonly<Record<Outcome, number>>
  readonly requests: number
  readonly created: { readonly namePrefix: string; readonly animals: readonly CreatedAnimal[] }
  readonly results: readonly Result[]
}

/** `observed`: the response at an open point, which is neither right nor wrong. */
export const OUTCOMES = ['passed', 'failed', 'observed', 'not run'] as const
type Outcome = (typeof OUTCOMES)[number]

export interface Result {
  readonly id: string
  readonly title: string
  readonly cites: readonly Statement[]
  readonly level: Level
  readonly outcome: Outcome
  /** The observation, or why the case was not run. */
  readonly note?: string
  /** The run left nothing to ask, which is not `incomplete`. */
  readonly unasked?: true
  /** The failed case that kept this one from being judged. */
  readonly restsOn?: string
  readonly failure?: Failure
}

export interface Failure {
  readonly statement: Requirement
  readonly sentence: string
  readonly expected: string
  readonly came: string
  /** A shell command that sends the request again. */
  readonly request: string
  /** Missing if no response came. */
  readonly answer?: { readonly status: number; readonly headers: readonly string[]; readonly body: string }
}
