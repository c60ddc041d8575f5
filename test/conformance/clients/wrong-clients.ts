/** For each case of the judge of clients one that is right but for what the case is about. */
import { fromJson } from '../../../client/src/json.ts'
import type { Call } from '../../../conformance/src/clients/case.ts'
import { type Answer, type Attempt, RightClient } from './client.ts'
import { type Sent, send } from './virtual.ts'

const EMPTY: Answer = { status: 200, body: '[]' }
const SHORT_MS = 600
const IMPATIENCE_MS = 1_000

type Kind = typeof RightClient

/** Waits `ms` where `when` holds. */
function waits(ms: number, when: (attempt: Attempt) => boolean): Kind {
  return class extends RightClient {
    protected override waitMs(attempt: Attempt): number {
      return when(attempt) ? ms : super.waitMs(attempt)
    }
  }
}

/** Asks again where `when` holds, as often as any failure; or without an end. */
function repeats(when: (attempt: Attempt) => boolean, times?: number): Kind {
  return class extends RightClient {
    protected override mayRepeat(attempt: Attempt): boolean {
      const most = times ?? this.attempts()
      return when(attempt) ? attempt.failures < most : super.mayRepeat(attempt)
    }
  }
}

/** Takes what came where `when` holds for a list. */
function takes(when: (answer: Answer) => boolean): Kind {
  return class extends RightClient {
    protected override async send(request: Sent): Promise<Answer | undefined> {
      const answer = await super.send(request)
      const isTaken = request.method === 'GET' && answer !== undefined && when(answer)
      return isTaken ? EMPTY : answer
    }
  }
}

/** Takes a connection that ended so for a list. */
function takesBroken(how: 'cut' | 'truncated'): Kind {
  return class extends RightClient {
    protected override send(request: Sent): Promise<Answer | undefined> {
      return send(request).catch(({ message }: Error) =>
        request.method === 'GET' && message === how ? EMPTY : undefined,
      )
    }
  }
}

/** Repeats a POST whose connection ended so. */
function repeatsBroken(how: 'cut' | 'truncated'): Kind {
  return class extends RightClient {
    #how = ''
    protected override send(request: Sent): Promise<Answer | undefined> {
      return send(request).catch(({ message }: Error) => {
        this.#how = message
        return undefined
      })
    }
    protected override mayRepeat(attempt: Attempt): boolean {
      const isIt = attempt.answer === undefined && attempt.request.method === 'POST' && this.#how === how
      return isIt ? attempt.failures < this.attempts() : super.mayRepeat(attempt)
    }
  }
}

/** Gives up waiting for an answer. */
function impatient(method: string): Kind {
  return class extends RightClient {
    protected override send(request: Sent): Promise<Answer | undefined> {
      const answered = super.send(request)
      return request.method === method
        ? Promise.race([answered, this.clock.wait(IMPATIENCE_MS).then(() => undefined)])
        : answered
    }
  }
}

/** Follows a redirect with all that it sent. */
function follows(method: string): Kind {
  return class extends RightClient {
    protected override async send(request: Sent): Promise<Answer | undefined> {
      const answer = await super.send(request)
      const url = answer?.headers?.Location
      return request.method === method && url !== undefined ? super.send({ ...request, url }) : answer
    }
  }
}

/** Reads the bodies of this call otherwise. */
function reads(call: Call['call'], change: (body: string) => string): Kind {
  return class extends RightClient {
    protected override resultOf(of: Call, answer: Answer): unknown {
      return fromJson(of.call === call ? change(answer.body) : answer.body)
    }
  }
}

/** As a double would hold it. */
const rounded = (text: string) => text.replace(/\d{17,}/g, (digits) => String(BigInt(Number(digits))))
const isPlain = (body: string) => !/\de\d/.test(body)
const is = (status: number, method: string) => (attempt: Attempt) =>
  attempt.answer?.status === status && attempt.request.method === method
const asked = ({ answer }: Attempt) => answer?.headers?.['Retry-After']
const isPage = ({ answer }: Attempt) => answer?.body.startsWith('<html>') ?? false

/** Where a method takes another place, by the id of the case. */
export const WRONG_CLIENTS: Readonly<Record<string, Kind>> = {
  'wait-list': waits(SHORT_MS, ({ call }) => call.call === 'list' && call.status === 'available'),
  'wait-create': waits(SHORT_MS, is(429, 'POST')),
  'wait-get': waits(SHORT_MS, ({ call }) => call.call === 'get'),
  'wait-longer': waits(1_500, (attempt) => asked(attempt) === '2'),
  'wait-each-time': waits(SHORT_MS, (attempt) => attempt.failures === 2 && asked(attempt) !== undefined),
  'wait-date': waits(SHORT_MS, (attempt) => /GMT$/.test(asked(attempt) ?? '')),
  'wait-page': waits(SHORT_MS, (attempt) => attempt.answer?.status === 429 && isPage(attempt)),
  'wait-long': waits(2_000, (attempt) => asked(attempt) === '3600'),
  'wait-others': class extends RightClient {
    protected override ask(call: Call, request: Sent, expected: number): Promise<Answer> {
      if (call.call !== 'get') return super.ask(call, request, expected)
      this.notBeforeMs = 0
      return this.attempt(call, request, expected)
    }
  },
  wave: class extends RightClient {
    #knowsLimit = false
    protected override noteLimits(answer: Answer): void {
      this.#knowsLimit ||= answer.headers?.['X-RateLimit-Remaining'] !== undefined
      super.noteLimits(answer)
    }
    protected override ask(call: Call, request: Sent, expected: number): Promise<Answer> {
      return this.#knowsLimit ? super.ask(call, request, expected) : this.attempt(call, request, expected)
    }
  },
  untold: waits(0, (attempt) => is(429, 'GET')(attempt) && attempt.failures === 1 && asked(attempt) === undefined),
  'untold-unreadable': waits(0, (attempt) => asked(attempt) === 'soon'),
  'untold-zero': waits(0, (attempt) => asked(attempt) === '0'),
  grows: class extends RightClient {
    protected override backOffMs(): number {
      return super.backOffMs({ failures: 1 })
    }
  },
  random: class extends RightClient {
    protected override backOffMs({ failures }: Pick<Attempt, 'failures'>): number {
      return 500 * 2 ** (failures - 1)
    }
  },
  'gives-up': repeats(({ call, answer }) => call.call === 'get' && answer?.status === 429, Infinity),
  'says-refused': class extends RightClient {
    protected override failureText(attempt: Attempt): string {
      return attempt.answer?.status === 429 ? 'try again' : super.failureText(attempt)
    }
  },
  'once-400': repeats(is(400, 'GET')),
  'once-401': repeats(is(401, 'GET')),
  'once-404': repeats(is(404, 'GET')),
  'gives-up-503': repeats(is(503, 'GET'), Infinity),
  'pause-503': waits(0, (attempt) => is(503, 'GET')(attempt) && attempt.failures === 1 && asked(attempt) === undefined),
  'wait-503': waits(SHORT_MS, (attempt) => is(503, 'GET')(attempt) && asked(attempt) !== undefined),
  'page-200': takes(({ status, body }) => status === 200 && body.startsWith('<html>')),
  'page-502': takes(({ status }) => status === 502),
  'empty-200': takes(({ status, body }) => status === 200 && body === ''),
  'object-200': class extends RightClient {
    protected override isWhole(call: Call, answer: Answer): boolean {
      return super.isWhole(call, answer) || (call.call === 'list' && answer.body.startsWith('{'))
    }
  },
  cut: takesBroken('cut'),
  truncated: takesBroken('truncated'),
  'slow-list': impatient('GET'),
  'create-400': repeats(is(400, 'POST')),
  'create-500': repeats(is(500, 'POST')),
  'create-502': repeats(is(502, 'POST')),
  'create-503': repeats(is(503, 'POST')),
  'create-504': repeats(is(504, 'POST')),
  'create-cut': repeatsBroken('cut'),
  'create-truncated': repeatsBroken('truncated'),
  'create-slow': impatient('POST'),
  'create-unknown': class extends RightClient {
    protected override isUnknown(): boolean {
      return false
    }
  },
  'read-id': reads('list', (body) => (isPlain(body) ? rounded(body) : body)),
  'read-found': reads('get', rounded),
  'read-created': reads('create', rounded),
  'read-category': reads('list', (body) => body.replace('":-', '":')),
  'read-fraction': reads('list', (body) => body.replace('7.0', '"7.0"')),
  'read-exponent': reads('list', (body) =>
    isPlain(body) ? body : body.replace(/\d[\d.]+e18/, rounded(String(2 ** 63))),
  ),
  'send-category': class extends RightClient {
    protected override bodyOf(call: Extract<Call, { call: 'create' }>): string {
      return rounded(super.bodyOf(call))
    }
  },
  'send-id': class extends RightClient {
    protected override idOf(id: bigint): string {
      return rounded(String(id))
    }
  },
  bearer: class extends RightClient {
    protected override credentials(): string {
      return `ApiKey ${this.key}`
    }
  },
  'key-in-target': class extends RightClient {
    protected override urlOf(call: Call): string {
      return call.call === 'list' ? `${super.urlOf(call)}&key=${this.key}` : super.urlOf(call)
    }
  },
  'key-in-error': class extends RightClient {
    protected override errorText(text: string): string {
      return text
    }
  },
  redirect: follows('GET'),
  'redirect-create': follows('POST'),
  'next-link': class extends RightClient {
    protected override nextOf({ headers }: Answer): string | undefined {
      return /<([^>]*)>;\s*rel="next"/.exec(headers?.Link ?? '')?.[1]
    }
  },
  'remaining-none': class extends RightClient {
    protected override noteLimits(answer: Answer): void {
      const before = this.notBeforeMs
      super.noteLimits(answer)
      if (this.notBeforeMs > before) this.notBeforeMs -= (this.notBeforeMs - this.clock.now()) / 2
    }
  },
  'remaining-few': class extends RightClient {
    #knowsLimit = false
    protected override noteLimits(answer: Answer): void {
      this.#knowsLimit ||= answer.headers?.['X-RateLimit-Remaining'] !== undefined
      super.noteLimits(answer)
    }
    protected override ask(call: Call, request: Sent, expected: number): Promise<Answer> {
      return this.#knowsLimit ? this.attempt(call, request, expected) : super.ask(call, request, expected)
    }
  },
  'reset-by-date': class extends RightClient {
    protected override noteLimits({ headers: { Date: _, ...headers } = {}, ...answer }: Answer): void {
      super.noteLimits({ ...answer, headers })
    }
  },
  'media-type': class extends RightClient {
    protected override mediaType(): string {
      return 'text/plain'
    }
  },
  'no-id': class extends RightClient {
    protected override bodyOf(call: Extract<Call, { call: 'create' }>): string {
      return super.bodyOf(call).replace('{', '{"id":null,')
    }
  },
  'no-status': class extends RightClient {
    protected override bodyOf(call: Extract<Call, { call: 'create' }>): string {
      const body = super.bodyOf(call)
      return call.status === undefined ? body.replace('{', '{"status":null,') : body
    }
  },
  filter: class extends RightClient {
    protected override urlOf(call: Call): string {
      return super.urlOf(call).replace('sold', 'SOLD')
    }
  },
  limit: class extends RightClient {
    protected override urlOf(call: Call): string {
      return super.urlOf(call).replace('limit=100', 'limit=50')
    }
  },
  sunset: class extends RightClient {
    protected override warningOf(): undefined {
      return undefined
    }
  },
  'sunset-once': class extends RightClient {
    protected override warningOf(call: Call, answer: Answer): string | undefined {
      this.warned.clear()
      return super.warningOf(call, answer)
    }
  },
  message: class extends RightClient {
    protected override failureText(attempt: Attempt): string {
      return attempt.answer?.status === 400 ? '400' : super.failureText(attempt)
    }
  },
}
