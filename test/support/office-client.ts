/** People of the office. Most are let in at the store, with a passphrase that costs nothing to check. */
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

interface Office {
  readonly operatorUrl: string
  readonly database: string
}

interface OfficeAnswer<T = unknown> extends Answer {
  /** Undefined if the body is not JSON. */
  readonly json: T
}

export type SignedInClient = ReturnType<typeof clientOf>

/** The headers of a write of the office's own page. */
export function pageHeaders({ operatorUrl }: Pick<Office, 'operatorUrl'>): Record<string, string> {
  return { origin: operatorUrl, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
}

/** Without a session. */
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

/** Resolves to the secret of the link. */
export async function invite(office: Office, name: string, role: Role): Promise<string> {
  const more = ['--office', office.operatorUrl, '--json', '--database', office.database]
  const { code, stdout, stderr } = await pets(['people', 'invite', '--create', name, '--role', role, ...more])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { link: string }).link.replace(/^.*#invitation=/, '')
}

/** Signs a person in on a running service. */
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

/** Signs in a new person in this role, or a known one again. */
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

function cheapRecord(): string {
  const salt = randomBytes(16)
  const hash = scryptSync(PASSPHRASE, salt, 32, { N: 2, r: 1, p: 1 })
  return `scrypt$2$1$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

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
    cookie,
    headers,
    /** As the office's own page asks; `more` override its headers. */
    ask: <T = unknown>(method: string, path: string, body?: unknown, more: Call['headers'] = {}) =>
      askOffice<T>(office, method, path, body, { ...own, ...more }),
    /** On a connection of its own. */
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
