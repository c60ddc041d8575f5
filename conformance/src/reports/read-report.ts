/** A report from a file, as `--json` wrote it: of this version of the kit or another, so what is read is looked at. */
import { readFile } from 'node:fs/promises'
import { type Failure, OUTCOMES, type Outcome, type Verdict } from './report.ts'
import { isSent } from './sent.ts'

/** What is used of a report again. */
export interface SavedReport {
  readonly kit: { readonly version: string; readonly suite: string; readonly digest: string }
  readonly baseUrl: string
  readonly startedAt: string
  readonly verdict: Verdict
  readonly core: Verdict
  readonly results: readonly SavedResult[]
}

interface SavedResult {
  readonly id: string
  readonly section: string
  readonly title: string
  readonly cites: readonly string[]
  readonly level: string
  readonly outcome: Outcome
  readonly note?: string
  readonly failure?: Failure
}

/** Why a file is no report, in a sentence. */
export class NoReport extends Error {}

export async function readReport(file: string): Promise<SavedReport> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new NoReport(`The file ${file} ${problem}; give a report that --json has written.`, { cause: error })
  }
  if (isReport(value)) return value
  throw new NoReport(`The file ${file} is no report of this kit; give one that --json has written.`)
}

function isReport(value: unknown): value is SavedReport {
  const { kit, results, ...rest } = fieldsOf(value)
  return (
    holdsTexts(kit, 'version', 'suite', 'digest') &&
    holdsTexts(rest, 'baseUrl', 'startedAt', 'verdict', 'core') &&
    Array.isArray(results) &&
    results.every(isResult)
  )
}

function isResult(value: unknown): value is SavedResult {
  const { cites, outcome, note = '', failure } = fieldsOf(value)
  return (
    holdsTexts(value, 'id', 'section', 'title', 'level') &&
    Array.isArray(cites) &&
    cites.every((each) => typeof each === 'string') &&
    OUTCOMES.some((each) => each === outcome) &&
    typeof note === 'string' &&
    (failure === undefined ||
      (holdsTexts(failure, 'statement', 'sentence', 'expected', 'came', 'request') &&
        (fieldsOf(failure).sent === undefined || isSent(fieldsOf(failure).sent))))
  )
}

function holdsTexts(value: unknown, ...names: readonly string[]): boolean {
  const fields = fieldsOf(value)
  return names.every((name) => typeof fields[name] === 'string')
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
