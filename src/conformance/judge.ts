/** Runs one case and says how it went. Whatever leaves here holds no key, also where an answer repeated it. */
import { GET_PET_REMOVAL_MS } from '../contract/operations.ts'
import { type Case, NotRun } from './case.ts'
import { curlLine } from './curl.ts'
import type { Kit } from './kit.ts'
import { AllowanceSpent } from './pacing.ts'
import type { Failure, Result } from './report.ts'
import { CUT_KEY, KEY, LIMITED_KEY, type Request } from './request.ts'
import { isRequirement, STATEMENTS, type Statement } from './statements.ts'
import { type Answer, NoAnswer, type Secrets } from './transport.ts'
import { Violation } from './violation.ts'

const SHOWN_BODY_CHARACTERS = 600
const SHOWN_HEADERS =
  /^(?:content-type|content-length|x-ratelimit-.*|retry-after|www-authenticate|allow|location|date)$/i

export async function judge(each: Case, kit: Kit, secrets: Secrets): Promise<Result> {
  const { id, section, title, cites } = each
  const redact = (text: string): string => withoutSecrets(text, secrets)
  const result = { id, section, title, cites, interrupted: false }
  const missing = whatIsMissing(each, kit)
  if (missing !== undefined) return { ...result, outcome: 'not run', note: missing }
  const required = cites.find(isRequirement)
  try {
    const note = await each.run(kit)
    const outcome = required === undefined ? 'observed' : 'passed'
    return note === undefined ? { ...result, outcome } : { ...result, outcome, note: redact(note) }
  } catch (error) {
    if (error instanceof NotRun) return { ...result, outcome: 'not run', note: redact(error.message) }
    if (error instanceof AllowanceSpent)
      return { ...result, outcome: 'not run', note: error.message, interrupted: true }
    if (error instanceof Violation) {
      if (required === undefined)
        return { ...result, outcome: 'not run', note: redact(`an answer broke ${error.message}`) }
      const { statement, expected, came, exchange } = error
      const answer = answerOutline(exchange.answer, redact)
      return {
        ...result,
        outcome: 'failed',
        failure: { ...failure(kit, statement, expected, redact(came), exchange.request), answer },
      }
    }
    if (error instanceof NoAnswer) {
      if (required === undefined) return { ...result, outcome: 'observed', note: `No answer came (${error.message}).` }
      const came = `no answer: ${error.message}`
      return { ...result, outcome: 'failed', failure: failure(kit, required, 'an answer', came, error.request) }
    }
    throw error
  }
}

function whatIsMissing({ needs = [] }: Case, kit: Kit): string | undefined {
  if (needs.includes('limited key') && !kit.hasLimitedKey)
    return 'no key was given that may be exhausted (--limited-key)'
  if (needs.includes('getPet') && !kit.getPetExists) {
    return `getPet was removed on ${new Date(GET_PET_REMOVAL_MS).toISOString().slice(0, 10)}`
  }
  return undefined
}

function failure(kit: Kit, statement: Statement, expected: string, came: string, request: Request): Failure {
  return { statement, sentence: STATEMENTS[statement], expected, came, request: curlLine(kit.base, request) }
}

function answerOutline(answer: Answer, redact: (text: string) => string): NonNullable<Failure['answer']> {
  const body = redact(answer.body.toString())
  return {
    statusLine: redact(answer.statusLine),
    headers: answer.headers
      .filter(([name]) => SHOWN_HEADERS.test(name))
      .map(([name, value]) => redact(`${name}: ${value}`)),
    body:
      body.length > SHOWN_BODY_CHARACTERS
        ? `${body.slice(0, SHOWN_BODY_CHARACTERS)}… (${body.length} characters in all)`
        : body,
  }
}

function withoutSecrets(text: string, { key, limitedKey }: Secrets): string {
  let safe = text.replaceAll(key, KEY)
  if (limitedKey !== undefined) safe = safe.replaceAll(limitedKey, LIMITED_KEY)
  // What is left of the key in an answer to the case that sends it cut short.
  return key.length > 1 ? safe.replaceAll(key.slice(0, -1), CUT_KEY) : safe
}
