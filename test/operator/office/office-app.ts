/** The operator port with the office in the test's own process, over a real store, with a clock that the test sets. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import pino from 'pino'
import { Access } from '../../../src/domain/access.ts'
import { invitePerson } from '../../../src/domain/people.ts'
import { Metrics } from '../../../src/http/metrics.ts'
import type { OfficeOptions } from '../../../src/operator/office/routes.ts'
import type { Session } from '../../../src/operator/office-data.ts'
import { buildOperatorServer } from '../../../src/operator/server.ts'
import { MemoryCounters } from '../../../src/store/memory-counters.ts'
import type { Role } from '../../../src/store/people.ts'
import type { Store } from '../../../src/store/store.ts'

const START_MS = Date.UTC(2026, 10, 21, 12)
export const BODY_LIMIT = 65_536

export interface OfficeApp {
  readonly url: string
  readonly port: number
  readonly clock: { nowMs: number }
  readonly log: () => string
  /** Somebody new, signed in. */
  enter(name: string, role?: Role): Promise<OfficeClient>
  stop(): Promise<void>
}

export interface OfficeClient {
  readonly headers: Readonly<Record<string, string>>
  /** A request as the page sends it; a body is sent as JSON. */
  ask<T>(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly json: T }>
  upload<T>(
    text: string | Uint8Array<ArrayBuffer>,
    name?: string,
  ): Promise<{ readonly status: number; readonly json: T }>
  get(path: string, signal?: AbortSignal): Promise<Response>
}

export async function startOffice(store: Store): Promise<OfficeApp> {
  const clock = { nowMs: START_MS }
  const now = () => clock.nowMs
  const counters = new MemoryCounters(now)
  const access = new Access({ keys: store.keys, counters, clock: now, ban: undefined, anonymousPerMinute: 60 })
  const metrics = new Metrics()
  let written = ''
  let url = ''
  const into = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      done()
    },
  })
  const shared = { store, counters, access, metrics, backups: undefined, clock: now }
  const office: OfficeOptions = {
    ...{ ...shared, randomBytes, bodyLimit: BODY_LIMIT, trustProxy: [] as never, log: pino(into) },
    baseUrl: 'http://127.0.0.1:1/v1',
    get officeUrl() {
      return url
    },
  }
  const server = buildOperatorServer({
    ...{ ...shared, host: '127.0.0.1', isDraining: () => false, tls: undefined, office },
  })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    port: Number(new URL(url).port),
    clock,
    log: () => written,
    async enter(name, role = 'manager') {
      const { invited } = await invitePerson({ store, clock: now, randomBytes, who: 'a test' }, { name, role })
      const own = { origin: url, 'sec-fetch-site': 'same-origin' }
      const accepted = await fetch(`${url}/api/invitation`, {
        ...{ method: 'POST', headers: { ...own, 'content-type': 'application/json' } },
        body: JSON.stringify({ invitation: invited.secret, passphrase: 'correct horse battery' }),
      })
      assert.equal(accepted.status, 200)
      const { token } = (await accepted.json()) as Session
      const cookie = accepted.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      return clientOf(url, { ...own, cookie, 'x-session-token': token })
    },
    async stop() {
      server.server.closeAllConnections()
      await server.close()
      await access.close()
    },
  }
}

function clientOf(url: string, headers: Readonly<Record<string, string>>): OfficeClient {
  const send = async <T>(path: string, init: RequestInit): Promise<{ status: number; json: T }> => {
    const answer = await fetch(`${url}${path}`, init)
    const text = await answer.text()
    return { status: answer.status, json: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  return {
    headers,
    ask: (method, path, body) =>
      send(path, {
        ...{ method, headers: { ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) } },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    upload: (content, name = 'animals.csv') => {
      const body = new FormData()
      body.set('file', new Blob([content]), name)
      return send('/api/uploads', { method: 'POST', headers, body })
    },
    get: (path, signal) => fetch(`${url}${path}`, { headers, signal: signal ?? null }),
  }
}
