/** People of the office for tests: invited by the command, signed in over HTTP as the page does it. */
import assert from 'node:assert/strict'
import type { Session } from '../../src/operator/office-data.ts'
import type { Role } from '../../src/store/people.ts'
import { type Answer, type Call, call } from './http.ts'
import { pets } from './service.ts'

export const PASSPHRASE = 'correct horse battery'

/** The office of a service that was started with --office. */
export interface Office {
  readonly operatorUrl: string
  readonly database: string
}

export interface OfficeAnswer<T = unknown> extends Answer {
  /** The body as JSON, which the test says the shape of; undefined if there is none. */
  readonly json: T
}

export interface SignedInClient {
  readonly session: Session
  /** `name=value`, as the browser sends it. */
  readonly cookie: string
  /** What says whose request it is, and of which page. */
  readonly headers: Readonly<Record<string, string>>
  /** A request as the office's own page sends it; `headers` go over its own. */
  ask<T = unknown>(method: string, path: string, body?: unknown, headers?: Call['headers']): Promise<OfficeAnswer<T>>
  /** Sends a file of animals, as the form does. */
  upload<T>(
    text: string | Uint8Array<ArrayBuffer>,
    name?: string,
  ): Promise<{ readonly status: number; readonly json: T }>
  /** An answer that may be long. */
  get(path: string, signal?: AbortSignal): Promise<Response>
}

/** The headers of a write of the office's own page. */
export function pageHeaders({ operatorUrl }: Pick<Office, 'operatorUrl'>): Record<string, string> {
  return { origin: operatorUrl, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
}

/** One request without a session. */
export async function askOffice<T = unknown>(
  office: Pick<Office, 'operatorUrl'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Call['headers'] = {},
): Promise<OfficeAnswer<T>> {
  const answer = await call(Number(new URL(office.operatorUrl).port), {
    ...{ method, path },
    headers: { ...(method !== 'GET' && pageHeaders(office)), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true
  return { ...answer, json: (isJson ? JSON.parse(answer.body) : undefined) as T }
}

/** Invites a person by the command; resolves to the secret of the link. */
export async function invite(office: Office, name: string, role: Role): Promise<string> {
  const args = ['people', 'invite', name, '--role', role, '--office-url', office.operatorUrl, '--json']
  const { code, stdout, stderr } = await pets([...args, '--database', office.database])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { link: string }).link.replace(/^.*#invitation=/, '')
}

/** Invites a person, who accepts. */
export async function enterOffice(
  office: Office,
  role: Role = 'operator',
  name: string = role,
): Promise<SignedInClient> {
  return accept(office, await invite(office, name, role))
}

/** `invitation` is the secret of a link. */
export async function accept(office: Pick<Office, 'operatorUrl'>, invitation: string): Promise<SignedInClient> {
  return clientOf(office, await askOffice(office, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE }))
}

export async function signIn(office: Office, name: string, passphrase = PASSPHRASE): Promise<SignedInClient> {
  return clientOf(office, await askOffice(office, 'POST', '/api/session', { name, passphrase }))
}

function clientOf(office: Pick<Office, 'operatorUrl'>, answer: OfficeAnswer): SignedInClient {
  assert.equal(answer.status, 200, answer.body)
  const session = answer.json as Session
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const own = { cookie, 'x-session-token': session.token }
  const headers = { ...own, origin: office.operatorUrl, 'sec-fetch-site': 'same-origin' }
  return {
    ...{ session, cookie, headers },
    ask: (method, path, body, more = {}) => askOffice(office, method, path, body, { ...own, ...more }),
    async upload<T>(content: string | Uint8Array<ArrayBuffer>, name = 'animals.csv') {
      const body = new FormData()
      body.set('file', new Blob([content]), name)
      const sent = await fetch(`${office.operatorUrl}/api/uploads`, { method: 'POST', headers, body })
      return { status: sent.status, json: (await sent.json()) as T }
    },
    get: (path, signal) => fetch(`${office.operatorUrl}${path}`, { headers, signal: signal ?? null }),
  }
}
