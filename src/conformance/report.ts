/** What a run found, as data. The reporters make text, JSON and JUnit of it, and nothing else. */
import type { Section } from './case.ts'
import type { CreatedAnimal } from './kit.ts'
import type { Statement } from './statements.ts'

export interface Report {
  readonly interfaceVersion: string
  readonly baseUrl: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly endedAt: string
  /** `incomplete`: nothing failed, but requirements were left out because an allowance was used up. */
  readonly verdict: 'passed' | 'failed' | 'incomplete'
  readonly counts: Readonly<Record<Outcome, number>>
  /** How many requests were answered. */
  readonly requests: number
  readonly created: { readonly namePrefix: string; readonly animals: readonly CreatedAnimal[] }
  readonly results: readonly Result[]
}

/** `observed`: how an open point is answered, which can be neither right nor wrong. */
export type Outcome = 'passed' | 'failed' | 'observed' | 'not run'

export interface Result {
  readonly id: string
  readonly section: Section
  readonly title: string
  readonly cites: readonly Statement[]
  readonly outcome: Outcome
  /** What was observed, or why the case was not run. */
  readonly note?: string
  readonly failure?: Failure
  /** The case could not be run because an allowance was used up. */
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
