/** Calls the office's server. A call that an ended session refused is repeated once the person has signed in again. */

import type { BodyOf, OfficeError, ParametersOf, QueryOf, ResponseOf, RouteName, Session } from '../../office-data.ts'

const TIMEOUT_MS = 30_000
const SLOW_MS = 1_800_000
const UNSURE = 'The service did not respond, so this might or might not have been done. Check before you try again.'

export class CallFailed extends Error {
  readonly code: OfficeError['code'] | 'unreachable' = 'internal_error'
  readonly status: number = 0
  readonly body: unknown = undefined
  readonly isUnsure: boolean = false

  constructor(message: string, facts: Partial<Omit<CallFailed, keyof Error>> = {}) {
    super(message)
    Object.assign(this, facts)
  }
}

interface Reply<T> {
  readonly status: number
  readonly text: string
  readonly type?: T
}

type Get<Path> = Extract<RouteName, `GET ${Path & string}`>
type GetPath = RouteName extends infer Name ? (Name extends `GET ${infer Path}` ? Path : never) : never
/** Parameters that the path does not name become the query. */
type Parameters<Name extends RouteName> = unknown extends ParametersOf<Name> & QueryOf<Name>
  ? Record<string, never>
  : ParametersOf<Name> & (QueryOf<Name> | URLSearchParams)
type Rest<Name extends RouteName, Options> =
  Record<never, never> extends Parameters<Name> ? [Parameters<Name>?, Options?] : [Parameters<Name>, Options?]

interface Sending<Name extends RouteName> {
  readonly address?: string
  readonly body?: BodyOf<Name>
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

let session: Session | undefined
/** Responses requested together with the session, by address. */
const early = new Map<string, Promise<Reply<unknown> | undefined>>()
let renewing: Promise<void> | undefined
/** The number of responses that a person waits for. */
let pending = 0
/** Fires `act` after each write, even a refused one. */
export const acts = new EventTarget()

interface Around {
  readonly ask: () => Promise<Session>
  readonly onOther: () => void
  readonly onPending: (isPending: boolean) => void
}
let around: Around | undefined

export function connect(page: Around) {
  around = page
}

export function currentSession(): Session {
  if (session === undefined) throw new Error('nobody is signed in')
  return session
}

export function shownWords(): Session['words'] {
  return session?.words ?? {}
}

export function shelterName(): string {
  return session?.shelter.name || 'Office'
}

export function useSession(started: Session) {
  session = started
}

/** Sends a GET before the session is known, which saves a round trip; the next `get` uses the response. */
export function prefetch<P extends GetPath>(path: P, ...[parameters]: Rest<Get<P>, never>) {
  const name = `GET ${path}` as Get<P>
  const address = addressOf(name, parameters)
  const reply = request(name, '', { address }).catch(() => undefined)
  early.set(address, reply)
}

export function clearPrefetched() {
  early.clear()
}

/** `isUnattended`: a timer asks, so this does not extend the session. */
export async function get<P extends GetPath>(
  path: P,
  ...[parameters, { isUnattended = false } = {}]: Rest<Get<P>, { readonly isUnattended?: boolean }>
): Promise<ResponseOf<Get<P>>> {
  const name = `GET ${path}` as Get<P>
  const address = addressOf(name, parameters)
  const pending = early.get(address)
  early.delete(address)
  const awaited = isUnattended ? 0 : 1
  countPending(awaited)
  try {
    const reply = await pending
    if (reply?.status === 200) return readAnswer(reply as Reply<ResponseOf<Get<P>>>)
    const headers: Record<string, string> = isUnattended ? { 'X-Unattended': '1' } : {}
    return await call((token) => request(name, token, { address, headers }))
  } finally {
    countPending(-awaited)
  }
}

function countPending(more: number) {
  pending += more
  around?.onPending(pending > 0)
}

export function send<Name extends RouteName>(
  name: Name,
  body: BodyOf<Name>,
  ...[parameters, { isSlow = false } = {}]: Rest<Name, { readonly isSlow?: boolean }>
): Promise<ResponseOf<Name>> {
  const address = addressOf(name, parameters)
  const timeoutMs = isSlow ? SLOW_MS : TIMEOUT_MS
  const answer = call((token) => request(name, token, { address, body, timeoutMs }))
  return answer.finally(() => acts.dispatchEvent(new Event('act')))
}

export async function upload<Name extends RouteName>(name: Name, file: File): Promise<ResponseOf<Name>> {
  // Renew the session first: a refusal during a large upload resets the connection, so nobody could read it.
  await get('/api/session')
  const form = new FormData()
  form.append('file', file)
  return call((token) => request(name, token, { form, timeoutMs: SLOW_MS }))
}

export async function request<Name extends RouteName>(
  name: Name,
  token: string,
  { address = addressOf(name), body, form, headers = {}, timeoutMs = TIMEOUT_MS }: Sending<Name> = {},
): Promise<Reply<ResponseOf<Name>>> {
  const [method = ''] = name.split(' ')
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  try {
    const answer = await fetch(address, {
      method,
      cache: 'no-store',
      signal: timeout.signal,
      headers: { 'X-Session-Token': token, ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    // An upload changes nothing yet.
    const isUnsure = method !== 'GET' && form === undefined
    throw new CallFailed(isUnsure ? UNSURE : 'The service could not be reached.', { code: 'unreachable', isUnsure })
  } finally {
    clearTimeout(timer)
  }
}

export function addressOf<Name extends RouteName>(name: Name, parameters?: Parameters<Name>) {
  const query = new URLSearchParams(parameters as URLSearchParams | undefined)
  const path = name.replace(/^\w+ \//, '').replace(/:(\w+)/g, (_named, parameter) => {
    const value = query.get(parameter) ?? ''
    query.delete(parameter)
    return encodeURIComponent(value)
  })
  return query.size === 0 ? path : `${path}?${query}`
}

/** Returns the value of a successful response; throws CallFailed for any other. */
export function readAnswer<T>({ status, text }: Reply<T>): T {
  const body = parse(text)
  if (status < 400) return body as T
  const { code, message } = (body ?? {}) as Partial<OfficeError>
  // A proxy responded instead of the service, which might have received the request.
  const isUnsure = status >= 500 && code === undefined
  const sentence = message ?? `The service failed (status ${status}). Try again.`
  throw new CallFailed(sentence, { status, body, isUnsure, ...(code && { code }) })
}

/** A part of the page that is loaded on demand. After an update of the service it might no longer exist. */
export function orUnreachable<T>(part: Promise<T>): Promise<T> {
  const sentence = 'Part of this page could not be loaded. Try again. If that does not help, reload the page.'
  return part.catch(() => Promise.reject(new CallFailed(sentence, { code: 'unreachable' })))
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

async function call<T>(ask: (token: string) => Promise<Reply<T>>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const current = session
    try {
      return readAnswer(await ask(current?.token ?? ''))
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      const isOver = error.code === 'signed_out'
      // Another tab might have started a session: then the cookie is new and the token old.
      if (!isOver && (error.code !== 'foreign' || attempt > 0)) throw error
      if (session === current) await renewOnce(isOver)
      // Never repeat a call of one person as another.
      if (isOther(current))
        throw new CallFailed(`${currentSession().name} is signed in now. Nothing was done.`, { code: 'signed_out' })
    }
  }
}

/** Calls refused together share one renewal. If `isOver`, the person has to sign in first. */
function renewOnce(isOver: boolean) {
  renewing ??= renew(isOver).finally(() => {
    renewing = undefined
  })
  return renewing
}

async function renew(isOver: boolean) {
  clearPrefetched()
  const before = session
  session = isOver ? await around?.ask() : readAnswer(await request('GET /api/session', ''))
  if (isOther(before)) around?.onOther()
}

/** Whether a different person, or the same in another role, is signed in now. */
function isOther(before: Session | undefined) {
  return before !== undefined && (before.person !== session?.person || before.role !== session.role)
}

/** Runs requests of which only the latest counts, even if responses arrive out of order. */
export class Latest {
  #latest = {}

  /** Calls `show` or `fail`, unless a newer request or `drop` came first. */
  async ask<T>(
    ask: () => Promise<T>,
    show: (answer: T) => void,
    fail: (error: unknown) => void = () => {},
  ): Promise<void> {
    this.drop()
    const mine = this.#latest
    let answer: T
    try {
      answer = await ask()
    } catch (error) {
      if (mine === this.#latest) fail(error)
      return
    }
    if (mine === this.#latest) show(answer)
  }

  drop(): void {
    this.#latest = {}
  }
}
