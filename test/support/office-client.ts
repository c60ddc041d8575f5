/**
 * People of the office for tests. Most are let in at the store, with a passphrase whose record costs nothing to check:
 * the links, the forms and the real cost have their own tests, which invite by the command and accept over HTTP as the
 * page does.
 */
import assert from 'node:assert/strict'
import { randomBytes, scryptSync } from 'node:crypto'
import type { Clock } from '../../src/common/clock.ts'
import { hashToken, invitePerson, makeToken, resetPassphrase } from '../../src/domain/people.ts'
import type { Session } from '../../src/office/office-data.ts'
import type { Role } from '../../src/rules/roles.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { pets } from './commands/commands.ts'
import { type Answer, type Call, call, RawConnection } from './http.ts'
import { patientClock } from './time/clock.ts'

export const PASSPHRASE = 'correct horse battery'

/** The office of a service that was started with --office. */
interface Office {
  readonly operatorUrl: string
  readonly database: string
}

interface OfficeAnswer<T = unknown> extends Answer {
  /** The body as JSON, which the test says the shape of; undefined if there is none. */
  readonly json: T
}

export type SignedInClient = ReturnType<typeof clientOf>

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
    method,
    path,
    headers: { ...(method !== 'GET' && pageHeaders(office)), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true
  return { ...answer, json: (isJson ? JSON.parse(answer.body) : undefined) as T }
}

/** Invites a person by the command; resolves to the secret of the link. */
export async function invite(office: Office, name: string, role: Role): Promise<string> {
  const more = ['--office', office.operatorUrl, '--json', '--database', office.database]
  const { code, stdout, stderr } = await pets(['people', 'invite', '--create', name, '--role', role, ...more])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { link: string }).link.replace(/^.*#invitation=/, '')
}

/** Somebody signed in, on a service that runs. */
export async function enterOffice(
  office: Office,
  role: Role = 'operator',
  name: string = role,
): Promise<SignedInClient> {
  const store = await openStore(office.database, { serving: false, clock: patientClock })
  try {
    return await enterAtStore(office, store, patientClock, name, role)
  } finally {
    await store.close()
  }
}

/** Somebody signed in: somebody new in this role, or again after a new link. */
export async function enterAtStore(
  office: Pick<Office, 'operatorUrl'>,
  store: Store,
  clock: Clock,
  name: string,
  role: Role,
): Promise<SignedInClient> {
  const inviter = { store, clock, randomBytes, who: 'a test' }
  const { invitation } = (await resetPassphrase(inviter, name)) ?? (await invitePerson(inviter, { name, role }))
  const secret = makeToken(randomBytes)
  const session = { hash: hashToken(secret), atMs: clock.now() }
  assert.ok(await store.people.accept(hashToken(invitation.secret), cheapRecord(), session), `${name} is let in`)
  const isSecure = office.operatorUrl.startsWith('https:')
  const { port } = new URL(office.operatorUrl)
  const cookie = `${isSecure ? '__Host-' : ''}pets-office-${port}=${secret}`
  return clientOf(office, await askOffice(office, 'GET', '/api/session', undefined, { cookie }), cookie)
}

/** The record of PASSPHRASE, of least cost. */
function cheapRecord(): string {
  const salt = randomBytes(16)
  const hash = scryptSync(PASSPHRASE, salt, 32, { N: 2, r: 1, p: 1 })
  return `scrypt$2$1$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** `invitation` is the secret of a link. */
export async function accept(office: Pick<Office, 'operatorUrl'>, invitation: string): Promise<SignedInClient> {
  return clientOf(office, await askOffice(office, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE }))
}

export async function signIn(
  office: Pick<Office, 'operatorUrl'>,
  name: string,
  passphrase = PASSPHRASE,
): Promise<SignedInClient> {
  return clientOf(office, await askOffice(office, 'POST', '/api/session', { name, passphrase }))
}

function clientOf(
  office: Pick<Office, 'operatorUrl'>,
  answer: OfficeAnswer,
  cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
) {
  assert.equal(answer.status, 200, answer.body)
  const session = answer.json as Session
  const own = { cookie, 'x-session-token': session.token }
  const headers = { ...own, origin: office.operatorUrl, 'sec-fetch-site': 'same-origin' }
  return {
    session,
    /** `name=value`, as the browser sends it. */
    cookie,
    /** What says whose request it is, and of which page. */
    headers,
    /** A request as the office's own page sends it; `more` go over its own headers. */
    ask: <T = unknown>(method: string, path: string, body?: unknown, more: Call['headers'] = {}) =>
      askOffice<T>(office, method, path, body, { ...own, ...more }),
    /** The same over a connection of its own: the head alone, or with all of the body. */
    begin(
      method: string,
      path: string,
      { body, headers: more }: { body?: object; headers?: Record<string, string> } = {},
    ) {
      const { port, host } = new URL(office.operatorUrl)
      const text = body === undefined ? '' : JSON.stringify(body)
      const ofBody = body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
      const lines = Object.entries({ ...headers, host, ...ofBody, ...more }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      )
      return new RawConnection(Number(port)).send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
    },
    async upload<T>(content: string | Uint8Array<ArrayBuffer>, name = 'animals.csv') {
      const body = new FormData()
      body.set('file', new Blob([content]), name)
      const sent = await fetch(`${office.operatorUrl}/api/uploads`, { method: 'POST', headers, body })
      return { status: sent.status, json: (await sent.json()) as T }
    },
    get: (path: string, signal?: AbortSignal) =>
      fetch(`${office.operatorUrl}${path}`, { headers, signal: signal ?? null }),
  }
}
