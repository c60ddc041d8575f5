/** Runs one case and returns its result. Results contain no key, even if a response repeated it. */
import type { Case } from './case.ts'
import { CUT_KEY, curlLine, KEY, LIMITED_KEY } from './http/request.ts'
import type { HttpResponse, Secrets } from './http/transport.ts'
import { isRequirement, REQUIREMENTS } from './interface.ts'
import type { Kit } from './kit.ts'
import type { Failure, Result } from './reports/report.ts'
import { NotRun, RestsOn, RunOver, Unasked, Violation } from './verdicts.ts'

type Ending = Pick<Result, 'outcome' | 'note' | 'restsOn' | 'failure' | 'unasked'>

const SHOWN_BODY = 600
const SHOWN_HEADERS = /^(?:content-type|x-ratelimit-.*|retry-after|www-authenticate|allow|location|date|server)$/i

export class Judge {
  readonly #kit: Kit
  readonly #secrets: Secrets
  /** By case: the failed case because of which it failed or was not judged. */
  readonly #causes = new Map<string, string>()
  /** Set when the run is over. */
  #over: Ending | undefined

  constructor(kit: Kit, secrets: Secrets) {
    this.#kit = kit
    this.#secrets = secrets
  }

  async judge(each: Case): Promise<Result> {
    const { id, title, cites, level = 'core' } = each
    const ending = this.#beforehand(each) ?? (await this.#run(each))
    const cause = ending.outcome === 'failed' ? id : ending.restsOn
    if (cause !== undefined) this.#causes.set(id, cause)
    return { id, title, cites, level, ...ending }
  }

  /** Undefined if the case must run. */
  #beforehand({ needs = [], restsOn = [] }: Case): Ending | undefined {
    if (this.#over !== undefined) return this.#over
    if (needs.includes('limited key') && !this.#kit.hasLimitedKey)
      return { outcome: 'not run', note: 'no --limited-key was given' }
    if (needs.includes('getPet') && !this.#kit.getPetExists)
      return { outcome: 'not run', note: 'getPet was removed on 5 December 2030', unasked: true }
    const cause = restsOn.map((id) => this.#causes.get(id)).find(Boolean)
    return cause === undefined ? undefined : restingOn(cause)
  }

  async #run(each: Case): Promise<Ending> {
    try {
      const note = await each.run(this.#kit)
      const outcome = each.cites.some(isRequirement) ? 'passed' : 'observed'
      return note === undefined ? { outcome } : { outcome, note: this.#redact(note) }
    } catch (error) {
      return this.#ending(each, error)
    }
  }

  #ending({ id, cites }: Case, error: unknown): Ending {
    if (error instanceof RestsOn) return restingOn(error.caseId)
    if (error instanceof NotRun) {
      const ending = { outcome: 'not run', note: this.#redact(error.message) } as const
      if (error instanceof RunOver) this.#over = ending
      return error instanceof Unasked ? { ...ending, unasked: true } : ending
    }
    if (!(error instanceof Violation)) throw error
    if (!cites.some(isRequirement)) return { outcome: 'observed', note: `${this.#redact(error.came)}.` }
    // If cases share a cause, only the first reports it.
    const { foundBy } = this.#kit
    const cause = error.cause ?? error
    const first = foundBy.get(cause)
    if (first !== undefined) return restingOn(first)
    foundBy.set(cause, id)
    return { outcome: 'failed', failure: this.#failure(error) }
  }

  #failure({ statement, expected, came, exchange: { request, answer } }: Violation): Failure {
    const line = curlLine(this.#kit.base, request)
    const parts = { statement, sentence: REQUIREMENTS[statement], expected, came: this.#redact(came), request: line }
    return answer === undefined ? parts : { ...parts, answer: this.#outline(answer) }
  }

  #redact(text: string): string {
    const { key, limitedKey = key } = this.#secrets
    // One case sends the key without its last character, and the response might repeat it.
    const masks = new Map<string, string>([
      [key.slice(0, -1), CUT_KEY],
      [limitedKey, LIMITED_KEY],
      [key, KEY],
    ])
    const secrets = [...masks.keys()].filter(Boolean).sort((a, b) => b.length - a.length)
    return text.replace(
      new RegExp(secrets.map((secret) => secret.replace(/\W/g, '\\$&')).join('|'), 'g'),
      (match) => masks.get(match) ?? match,
    )
  }

  #outline({ status, headers, body }: HttpResponse): NonNullable<Failure['answer']> {
    const text = this.#redact(body.toString())
    return {
      status,
      headers: headers.filter(([name]) => SHOWN_HEADERS.test(name)).map((pair) => this.#redact(pair.join(': '))),
      body: text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}… (${text.length} characters in all)` : text,
    }
  }
}

function restingOn(id: string): Ending {
  return { outcome: 'not run', note: `not judged because of ${id}`, restsOn: id }
}
