/** Runs one case and returns its result. Results contain no key, even if an answer repeated it. */

import type { Case } from './case.ts'
import type { HttpResponse } from './http/answer.ts'
import { curlLine } from './http/curl.ts'
import { CUT_KEY, KEY, LIMITED_KEY, type Request } from './http/request.ts'
import { NoAnswer, type Secrets } from './http/transport.ts'
import { GET_PET_REMOVAL_MS, isRequirement, STATEMENTS, type Statement } from './interface.ts'
import { type Kit, ServerGone } from './kit.ts'
import { QuotaExhausted } from './pacing.ts'
import type { Failure, Result } from './reports/report.ts'
import { NotRun, RestsOn, RunOver, Suspicious, Unasked, Violation } from './verdicts.ts'

/** How a case ended: the part of its result that is not known before the case runs. */
type Ending = Partial<Pick<Result, 'note' | 'restsOn' | 'failure' | 'interrupted' | 'unasked'>> &
  Pick<Result, 'outcome'>

/** In characters. */
const SHOWN_BODY = 600
const SHORT_KEY = 8
const SHOWN_HEADERS =
  /^(?:content-type|content-length|content-encoding|x-ratelimit-.*|retry-after|www-authenticate|allow|location|date|server)$/i

export class Judge {
  readonly #kit: Kit
  readonly #secrets: Secrets
  readonly #results = new Map<string, Result>()
  readonly #thrownBy = new Map<unknown, string>()
  /** Set when the run is over: why the remaining cases are not run. */
  #over: Ending | undefined

  constructor(kit: Kit, secrets: Secrets) {
    this.#kit = kit
    this.#secrets = secrets
  }

  async judge(each: Case): Promise<Result> {
    const { id, section, title, cites, level = 'core' } = each
    const startMs = this.#kit.clock()
    const ending = this.#beforehand(each) ?? (await this.#run(each))
    // The clock may have been set back meanwhile.
    const tookMs = Math.max(0, Math.round(this.#kit.clock() - startMs))
    const result = { id, section, title, cites, level, interrupted: false, tookMs, ...ending }
    this.#results.set(id, result)
    return result
  }

  /** The result of a case that need not be run; undefined if it must be. */
  #beforehand({ id: own, needs = [], restsOn = [], section }: Case): Ending | undefined {
    // The cases of the last section send no requests, so they run even then.
    if (this.#over !== undefined && section !== 'Every answer of this run') return this.#over
    if (needs.includes('limited key') && !this.#kit.hasLimitedKey)
      return { outcome: 'not run', note: 'no key was given that may be exhausted (--limited-key)' }
    if (needs.includes('getPet') && !this.#kit.getPetExists) {
      return {
        outcome: 'not applicable',
        note: `getPet was removed on ${new Date(GET_PET_REMOVAL_MS).toISOString().slice(0, 10)}`,
      }
    }
    for (const id of restsOn) {
      const { outcome, restsOn: deeper } = this.#results.get(id) ?? {}
      if (outcome === 'failed') return restingOn(id)
      // A case that rests on this one is no reason to skip it: then neither would report the fault.
      if (outcome === 'not run' && deeper !== undefined && deeper !== own) return restingOn(deeper)
    }
    return undefined
  }

  async #run(each: Case): Promise<Ending> {
    const isRequired = each.cites.some(isRequirement)
    try {
      const note = await each.run(this.#kit)
      const outcome = isRequired ? 'passed' : 'observed'
      return note === undefined ? { outcome } : { outcome, note: this.#redact(note) }
    } catch (error) {
      return this.#ending(each, error)
    }
  }

  #ending(each: Case, error: unknown): Ending {
    // A fixture that several cases share is made once, and only the first of them reports its failure.
    const before = this.#thrownBy.get(error)
    if (before !== undefined && !(error instanceof NotRun)) return restingOn(before)
    this.#thrownBy.set(error, each.id)
    if (error instanceof Violation) return this.#violation(each, error)
    if (error instanceof NoAnswer) return this.#noAnswer(each, error)
    if (error instanceof RestsOn) return restingOn(error.caseId)
    if (error instanceof NotRun) {
      const note = this.#redact(error.message)
      return error instanceof Unasked ? { outcome: 'not run', note, unasked: true } : { outcome: 'not run', note }
    }
    if (error instanceof Suspicious) {
      const isKnown = this.#isFoundBefore(error.message.replace(/\d+/g, '#'), each.id) !== undefined
      return isKnown ? { outcome: 'passed' } : { outcome: 'suspicious', note: this.#redact(error.message) }
    }
    if (error instanceof QuotaExhausted || error instanceof RunOver) {
      const over: Ending = { outcome: 'not run', note: error.message, interrupted: true }
      if (error instanceof RunOver) this.#over = over
      return over
    }
    throw error
  }

  #violation({ id, cites }: Case, violation: Violation): Ending {
    const { statement, expected, came, exchange, cause } = violation
    // A case that cites no requirement cannot fail, so it does not count as the finder of a cause.
    if (!cites.some(isRequirement)) {
      const finding = cause === undefined ? undefined : this.#kit.foundBy.get(cause)
      if (finding !== undefined) return restingOn(finding)
      return { outcome: 'not run', note: this.#redact(`an answer broke ${violation.message}`) }
    }
    const before = cause === undefined ? undefined : this.#isFoundBefore(cause, id)
    if (before !== undefined) return restingOn(before)
    const failure = this.#failure(statement, expected, this.#redact(came), exchange.request)
    return { outcome: 'failed', failure: { ...failure, answer: this.#outline(exchange.answer) } }
  }

  #noAnswer({ id, cites }: Case, error: NoAnswer): Ending {
    const isGone = error instanceof ServerGone
    if (!isGone && !cites.some(isRequirement))
      return { outcome: 'observed', note: `No answer came (${error.message}).` }
    const statement = cites.find(isRequirement) ?? 'R1'
    if (isGone && !error.isBack) this.#over = restingOn(id)
    return {
      outcome: 'failed',
      failure: this.#failure(statement, 'an answer', `no answer: ${error.message}`, error.request),
    }
  }

  /** The case that found this cause first. If there is none, `id` is recorded as the first. */
  #isFoundBefore(cause: string, id: string): string | undefined {
    const first = this.#kit.foundBy.get(cause)
    if (first === undefined) this.#kit.foundBy.set(cause, id)
    return first
  }

  #failure(statement: Statement, expected: string, came: string, request: Request): Failure {
    return { statement, sentence: STATEMENTS[statement], expected, came, request: curlLine(this.#kit.base, request) }
  }

  #redact(text: string): string {
    const { key, limitedKey = key } = this.#secrets
    // One case sends the key without its last character, and the answer may repeat that.
    const masks = new Map([
      [key.slice(0, -1), CUT_KEY] as const,
      [limitedKey, LIMITED_KEY] as const,
      [key, KEY] as const,
    ])
    const patterns = [...masks.keys()]
      .filter(Boolean)
      .sort((a, b) => b.length - a.length)
      .map(keyPattern)
    return text.replace(new RegExp(patterns.join('|'), 'g'), (match) => masks.get(match) ?? match)
  }

  /** An answer as reports show it, with its keys redacted. */
  #outline({ statusLine, headers, body }: HttpResponse): NonNullable<Failure['answer']> {
    const text = this.#redact(body.toString())
    const visibleHeaders = headers.filter(([name]) => SHOWN_HEADERS.test(name))
    return {
      statusLine: this.#redact(statusLine),
      headers: visibleHeaders.map(([name, value]) => this.#redact(`${name}: ${value}`)),
      body: text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}… (${text.length} characters in all)` : text,
    }
  }
}

/** A short key, as `test`, is masked where it stands alone: within words it is a part of them. */
function keyPattern(key: string): string {
  const literal = key.replace(/[^\w]/g, '\\$&')
  return key.length < SHORT_KEY ? `(?<![\\w-])${literal}(?![\\w-])` : literal
}

function restingOn(id: string): Ending {
  return { outcome: 'not run', note: `not judged because of ${id}`, restsOn: id }
}
