/** What the fuzzer sends to the operator port, whose answers carry no limit headers. See requests.ts. */
import fc from 'fast-check'
import type { Planned } from './requests.ts'

/** A placeholder for the port's own name and number: requests that name another host are refused there. */
const HOST = '{HOST}'

const get = (target: string, more: Partial<Planned> & { readonly headers?: string } = {}): Planned => ({
  bytes: `${more.method ?? 'GET'} ${target} HTTP/1.1\r\nHost: ${HOST}\r\n${more.headers ?? ''}\r\n`,
  method: 'GET',
  statuses: [200],
  closes: 'no',
  creates: false,
  lists: false,
  ...more,
})

/** Requests that the port may answer in any way, or not at all, as long as the process lives. */
const strange = (bytes: string): Planned => ({
  ...get('/'),
  bytes,
  statuses: [400, 403, 404, 405, 408, 413, 417, 421, 431, 501, 505],
  closes: 'breaks',
})

/** A sign-in that is none, as the office's own page would send it. */
const post = (body: string, status: number): Planned => {
  const bytes =
    `POST /api/session HTTP/1.1\r\nHost: ${HOST}\r\nOrigin: http://${HOST}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  return { ...get('/'), bytes, method: 'POST', statuses: [status], closes: 'breaks' }
}

export const operatorRequest = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      get('/livez'),
      get('/livez', { method: 'HEAD' }),
      get('/readyz'),
      get('/metrics'),
      get('/api/session', { statuses: [401] }),
      get('/api/session', { statuses: [401], headers: 'Cookie: pets-office=x; pets-office=y\r\n' }),
      get('/nothing', { statuses: [404] }),
      get('/livez', { headers: 'Connection: Upgrade\r\nUpgrade: websocket\r\n', closes: 'breaks' }),
      get('/livez', { headers: 'Connection: close\r\n', closes: 'breaks' }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      post('{"name":"a"}', 400),
      post('{', 400),
      post('', 400),
      strange('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'),
      strange('FOO / HTTP/1.1\r\nHost: x\r\n\r\n'),
      strange(`GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
      strange('GET /livez HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n'),
      strange(`GET /livez HTTP/1.1\r\nHost: ${HOST}\r\nExpect: the-best\r\n\r\n`),
      strange(`POST /livez HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
      strange('\0\r\n\r\n'),
    ),
  },
)
