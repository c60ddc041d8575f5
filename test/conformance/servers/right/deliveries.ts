/** Answers that come over the wire in other pieces, or at another pace: none of it is a part of the interface. */

import type { Pet } from '../../../../src/contract/schemas.ts'
import { refusing } from '../mutate.ts'
import { type Behaviour, CORRECT } from '../reference.ts'
import { type Right, right } from './right.ts'

const OLD: Pet = { id: 0n, name: 'Old', categoryId: 7n, status: 'available' }

const DELIVERIES: Readonly<Record<string, Behaviour['deliver']>> = {
  'head and body in packets of their own': (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).flushHeaders()
    setImmediate(() => response.end(body))
  },
  'answers byte by byte at first': (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).flushHeaders()
    const bytes = Buffer.from(body)
    const step = (at: number): void => {
      if (at >= bytes.length || at === 4) response.end(bytes.subarray(at))
      else response.write(bytes.subarray(at, at + 1), () => setImmediate(step, at + 1))
    }
    step(0)
  },
  'bodies in chunks': (response, { status, headers, body }) => {
    response.writeHead(status, headers)
    response.write(body.slice(0, 7))
    response.end(body.slice(7))
  },
  'a 100 before every answer': (response, { status, headers, body }) => {
    response.writeContinue()
    response.writeHead(status, headers).end(body)
  },
  'a 103 before every answer': (response, { status, headers, body }) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(status, headers).end(body)
  },
  'each connection closed after its answer': (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body)
  },
  'answers that end with their connection': (response, { status, headers, body }) => {
    response.useChunkedEncodingByDefault = false
    response.removeHeader('Transfer-Encoding')
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body)
  },
  'connections that are closed while they lie idle': (response, { status, headers, body }) => {
    response.writeHead(status, headers).end(body, () => setImmediate(() => response.socket?.end()))
  },
}

export const RIGHT_DELIVERIES: readonly Right[] = right([
  ...Object.entries(DELIVERIES).map(([what, deliver]) => [what, { deliver }] as const),
  [
    'no category 1, and an animal of another there',
    {
      ...refusing(/"categoryId":1[,}]/),
      select: (pets, query, nowMs) => CORRECT.select([OLD, ...pets], query, nowMs),
      find: (pets, id) => CORRECT.find([OLD, ...pets], id),
    },
  ],
  ['no category 1, another one given', refusing(/"categoryId":1[,}]/), {}, { category: 7n }],
])
