/** Sends forms to the service and holds every answer to the model: status, every header, body, connection, and time. */
import { after, answerTo, answerToRefused, type Expected, type World } from '../model/model.ts'
import { emptyState } from '../model/operator.ts'
import { jsonOf } from '../model/pets.ts'
import { readRequest } from '../model/request.ts'
import type { TestApp } from '../support/app.ts'
import { type RawAnswer, RawConnection } from '../support/http.ts'
import { type Form, KEYS, SOME_ID, write } from './features.ts'

/** What is answered only when the time for a request is over has no answer within this time; all else has one. */
const DEADLINE_MS = 30_000
const SILENCE_MS = 5
const ADDRESS = '127.0.0.1'

/** Headers that the register leaves to HTTP, or that are this software's own. */
const FREE = ['date', 'connection', 'keep-alive', 'content-length', 'x-request-id']

/** What the parser refuses may have had a path (O21). */
const OF_A_PATH = ['sunset', 'link']

export class Judge {
  readonly #app: TestApp
  readonly #isSecure: boolean
  readonly #keys: Readonly<Record<string, string>>
  world: World
  answers = 0

  private constructor(app: TestApp, isSecure: boolean, keys: Readonly<Record<string, string>>, world: World) {
    this.#app = app
    this.#isSecure = isSecure
    this.#keys = keys
    this.world = world
  }

  static async over(app: TestApp, isSecure: boolean, anonymousPerMinute: number): Promise<Judge> {
    const large = { perMinute: 100_000, perDay: 1_000_000 }
    const small = { perMinute: 5, perDay: 40 }
    const secrets = [await app.issue('enterprise', large), await app.issue('enterprise', small)] as const
    const keys = new Map([
      [secrets[0], { ...large, lineage: 'large' }],
      [secrets[1], { ...small, lineage: 'small' }],
    ])
    const settings = { anonymousPerMinute, bodyLimit: 65_536, ban: undefined, isSecure }
    const world = { ...emptyState(), keys, uses: new Map(), settings }
    return new Judge(app, isSecure, { [KEYS.large]: secrets[0], [KEYS.small]: secrets[1] }, world)
  }

  async holds(form: Form): Promise<string | undefined> {
    const pieces = write(form, (text) => this.#fill(text))
    using client = new RawConnection(this.#app.port, this.#isSecure)
    // Every answer is waited for from the last byte on; what is answered before is read later.
    for (const piece of pieces) await client.sendApart(piece)
    if (form.end === 'finished') client.finish()
    let rest = pieces.join('')
    for (;;) {
      const reading = rest === '' ? undefined : readRequest(rest)
      if (reading === undefined) break
      if (reading.kind === 'incomplete') {
        client.finish()
      }
      const nowMs = this.#app.clock.nowMs
      const expect = (status: number) => answerToRefused(this.world, status, ADDRESS, nowMs)
      let expected =
        reading.kind !== 'refused' && reading.request !== undefined
          ? answerTo(this.world, reading.request, ADDRESS, nowMs)
          : expect(reading.kind === 'refused' ? reading.status : 400)
      const answer = await client.answer(!expected.hasBody, DEADLINE_MS)
      if (answer === undefined)
        return `no answer within ${DEADLINE_MS} ms, ${expected.status} expected; ${shorten(client.received)}`
      if (reading.kind === 'refused' && reading.or === answer?.status) expected = expect(reading.or)
      const wrong = compare(expected, answer)
      if (wrong !== undefined) return wrong
      this.answers += 1
      this.world = after(this.world, expected, expected.created && idOf(answer))
      const saysEnd = /close/i.test(answer.headers.get('connection') ?? '')
      if (expected.ends && !saysEnd) return `${answer.status} does not say that the connection ends`
      if (saysEnd)
        return (await client.hasEnded(DEADLINE_MS)) ? undefined : `the connection stays open behind ${answer.status}`
      if (reading.kind !== 'request') return `the connection stays behind what was refused with ${answer.status}`
      rest = rest.slice(reading.end)
    }
    if (form.end === 'finished') {
      return (await client.hasEnded(DEADLINE_MS)) ? undefined : `more than was asked for: ${shorten(client.received)}`
    }
    return (await client.hasEnded(SILENCE_MS)) || client.received !== ''
      ? `ended or said more: ${shorten(client.received)}`
      : undefined
  }

  #fill(text: string): string {
    const [id = 1n] = this.world.animals.keys()
    const filled = text.replaceAll(SOME_ID, String(id))
    return Object.entries(this.#keys).reduce((all, [name, secret]) => all.replaceAll(name, secret), filled)
  }
}

export function compare(expected: Expected, { status, headers, body }: RawAnswer): string | undefined {
  if (status !== expected.status) return `status ${status} instead of ${expected.status}: ${shorten(body.toString())}`
  const id = expected.created === undefined ? undefined : /"id":(-?\d+)/.exec(body.toString())?.[1]
  const location = id === undefined || !expected.locates ? undefined : `/v1/pets/${id}`
  const wanted = { ...expected.headers, location }
  for (const [name, value] of Object.entries(wanted)) {
    if (headers.get(name) !== value) return `${status} with ${name}: ${headers.get(name)} instead of ${value}`
  }
  const more = [...headers.keys()].filter(
    (name) => !(name in wanted) && !FREE.includes(name) && !(expected.ends && OF_A_PATH.includes(name)),
  )
  if (more.length > 0) return `${status} with headers that nobody asked for: ${more.join(', ')}`
  if (!headers.has('date') || !headers.has('content-length')) return `${status} without Date or Content-Length`
  if (!expected.hasBody) return body.length === 0 ? undefined : 'a body on the answer to HEAD'
  return compareBodies(expected, body.toString())
}

function compareBodies({ status, json, created, code }: Expected, body: string): string | undefined {
  if (code !== undefined) {
    const sent = JSON.parse(body)
    const isError =
      sent.code === code && sent.status === status && typeof sent.message === 'string' && sent.message !== ''
    return isError && Object.keys(sent).length === 3 ? undefined : `not the Error of ${code}: ${shorten(body)}`
  }
  const whole = created === undefined ? json : jsonOf(idIn(body), created)
  return body === whole ? undefined : `${shorten(body)} instead of ${shorten(`${whole}`)}`
}

export function idOf({ body }: RawAnswer): bigint {
  return idIn(body.toString())
}

function idIn(body: string): bigint {
  return BigInt(/"id":(-?\d+)/.exec(body)?.[1] ?? '0')
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text
}
