/**
 * A right client of the interface, in the few lines that the judge asks for, and made of parts: a wrong one is this one
 * with another part.
 */
import { seededRandom } from '../../../bench/animals.ts'
import { fromJson, toJson } from '../../../client/src/json.ts'
import type { Call, Client, Reply, Told } from '../../../conformance/src/clients/case.ts'
import { type Sent, send, type VirtualClock } from './virtual.ts'

export type Answer = Reply & { readonly body: string }

/** What became of an attempt: an answer, or the end of its connection. */
export interface Attempt {
  readonly call: Call
  readonly request: Sent
  readonly answer?: Answer
  /** Which failure this is, from 1 on. */
  readonly failures: number
}

/** Two waits that are alike by chance would be taken for waits without a random part. */
const random = seededRandom(7)
const ATTEMPTS = 4
const LONGEST_MS = 60_000

export class RightClient implements Client {
  protected readonly baseUrl: string
  protected readonly key: string
  protected readonly clock: VirtualClock
  protected notBeforeMs = 0
  protected readonly warned = new Set<string>()
  protected line: Promise<unknown> = Promise.resolve()

  constructor(baseUrl: string, key: string, clock: VirtualClock) {
    this.baseUrl = baseUrl
    this.key = key
    this.clock = clock
  }

  close(): void {}

  async call(call: Call): Promise<Told> {
    try {
      return await this.carryOut(call)
    } catch (error) {
      const { message, cause } = error as Error
      return { error: this.errorText(message, call), unknown: cause === 'unknown' }
    }
  }

  protected async carryOut(call: Call): Promise<Told> {
    if (call.call === 'all') return { result: await this.all() }
    const { request, expected } = this.requestFor(call)
    const answer = await this.ask(call, request, expected)
    const warning = this.warningOf(call, answer)
    return { result: this.resultOf(call, answer), ...(warning !== undefined && { warning }) }
  }

  protected async all(): Promise<unknown> {
    const call: Call = { call: 'list', limit: 100 }
    const { request } = this.requestFor(call)
    const first = await this.ask(call, request, 200)
    const next = this.nextOf(first)
    const pets = this.resultOf(call, first) as unknown[]
    if (next === undefined) return pets
    const second = await this.ask(call, { ...request, url: next }, 200)
    return [...pets, ...(this.resultOf(call, second) as unknown[])]
  }

  /** The next page, at the base address alone. */
  protected nextOf(answer: Answer): string | undefined {
    const target = /<([^>]*)>;\s*rel="next"/.exec(answer.headers?.Link ?? '')?.[1]
    return target === undefined ? undefined : `${this.baseUrl}/pets${new URL(target).search}`
  }

  protected requestFor(call: Call): { readonly request: Sent; readonly expected: number } {
    const headers = { authorization: this.credentials() }
    if (call.call === 'create') {
      const request = {
        method: 'POST',
        url: this.urlOf(call),
        headers: { ...headers, 'content-type': this.mediaType() },
        body: this.bodyOf(call),
      }
      return { request, expected: 201 }
    }
    return { request: { method: 'GET', url: this.urlOf(call), headers }, expected: 200 }
  }

  protected credentials(): string {
    return `Bearer ${this.key}`
  }

  protected mediaType(): string {
    return 'application/json'
  }

  protected urlOf(call: Call): string {
    if (call.call === 'get') return `${this.baseUrl}/pets/${this.idOf(call.petId)}`
    if (call.call !== 'list') return `${this.baseUrl}/pets`
    const { status, limit } = call
    const query = new URLSearchParams()
    if (status !== undefined) query.set('status', status)
    if (limit !== undefined) query.set('limit', String(limit))
    return `${this.baseUrl}/pets?${query}`
  }

  protected idOf(id: bigint): string {
    return String(id)
  }

  protected bodyOf({ call: _, ...pet }: Extract<Call, { call: 'create' }>): string {
    return toJson(pet)
  }

  /** One attempt after the other, and all calls of the client one after the other. */
  protected ask(call: Call, request: Sent, expected: number): Promise<Answer> {
    const asked = this.line.then(() => this.attempt(call, request, expected))
    this.line = asked.catch(() => {})
    return asked
  }

  protected async attempt(call: Call, request: Sent, expected: number): Promise<Answer> {
    for (let failures = 1; ; failures += 1) {
      await this.clock.wait(this.notBeforeMs - this.clock.now())
      const answer = await this.send(request)
      if (answer !== undefined) this.noteLimits(answer)
      if (answer?.status === expected && this.isWhole(call, answer)) return answer
      const attempt: Attempt = { call, request, failures, ...(answer !== undefined && { answer }) }
      const waitMs = this.waitMs(attempt)
      if (!this.mayRepeat(attempt) || waitMs > LONGEST_MS) {
        throw new Error(this.failureText(attempt), this.isUnknown(attempt) ? { cause: 'unknown' } : {})
      }
      this.notBeforeMs = Math.max(this.notBeforeMs, this.clock.now() + waitMs)
    }
  }

  protected send(request: Sent): Promise<Answer | undefined> {
    return send(request).catch(() => undefined)
  }

  protected isWhole(call: Call, answer: Answer): boolean {
    try {
      return Array.isArray(fromJson(answer.body)) === (call.call === 'list')
    } catch {
      return false
    }
  }

  protected resultOf(_call: Call, answer: Answer): unknown {
    return fromJson(answer.body)
  }

  protected mayRepeat({ request, answer, failures }: Attempt): boolean {
    if (failures >= this.attempts()) return false
    if (answer?.status === 429) return true
    return request.method === 'GET' && (answer === undefined || [502, 503, 504].includes(answer.status))
  }

  protected attempts(): number {
    return ATTEMPTS
  }

  protected isUnknown({ request, answer }: Attempt): boolean {
    return request.method === 'POST' && (answer === undefined || answer.status >= 500 || answer.status < 400)
  }

  protected waitMs(attempt: Attempt): number {
    return Math.max(this.askedMs(attempt) ?? 0, this.backOffMs(attempt))
  }

  /** What Retry-After asks for. */
  protected askedMs({ answer }: Attempt): number | undefined {
    const text = answer?.headers?.['Retry-After'] ?? ''
    if (/^\d+$/.test(text)) return Number(text) * 1_000
    const atMs = Date.parse(text)
    return Number.isNaN(atMs) || answer === undefined ? undefined : atMs - this.serversMs(answer)
  }

  protected backOffMs({ failures }: Pick<Attempt, 'failures'>): number {
    return 500 * 2 ** (failures - 1) * (1 + random() / 4)
  }

  protected serversMs({ headers }: Answer): number {
    return headers?.Date === undefined ? this.clock.now() : Date.parse(headers.Date)
  }

  protected noteLimits(answer: Answer): void {
    const { 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': reset } = answer.headers ?? {}
    if (remaining !== '0' || reset === undefined) return
    const waitMs = Number(reset) * 1_000 - this.serversMs(answer)
    this.notBeforeMs = Math.max(this.notBeforeMs, this.clock.now() + waitMs)
  }

  protected warningOf({ call }: Call, { headers }: Answer): string | undefined {
    if (headers?.Sunset === undefined || this.warned.has(call)) return undefined
    this.warned.add(call)
    return `${call} ends on ${headers.Sunset}`
  }

  protected failureText({ answer }: Attempt): string {
    if (answer === undefined) return 'the connection ended'
    const message = /"message":"([^"]*)"/.exec(answer.body)?.[1] ?? 'what came is not of the service'
    return `${answer.status}: ${message}`
  }

  protected errorText(text: string, _call: Call): string {
    return text.replaceAll(this.key, '<key>')
  }
}
