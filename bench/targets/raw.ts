/**
 * The limit of the runtime: bare `node:http` that sends prepared bytes. It checks no key, counts nothing and stores
 * nothing; each response has the body that a real target gave to the same request, and the headers that its path always
 * has, under three fixed limit headers. It has the same node options and warm-up as the service, and its answers leave
 * together as those of the service do. Header lists and strings (instead of objects and buffers) are the fastest form
 * in Node 26.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { Departures } from '../../src/http/connections.ts'
import { warmUpTicks } from '../../src/service/warm-up.ts'

/** Everything of node's own that makes the service faster, so that the ratio is fair. */
const OPTIONS = { optimizeEmptyRequests: true, requireHostHeader: false, keepAliveTimeout: 72_000 }

/** Bodies as a real target sent them: lists by path and query, one animal for every identifier, one created animal. */
export interface RecordedBodies {
  readonly lists: Record<string, string>
  readonly pet: string
  /** Names and values in turn. */
  readonly petHeaders: readonly string[]
  readonly created: string
}

interface Ready {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

function ready(status: number, body: string, more: readonly string[] = []): Ready {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-ratelimit-limit': '1000000000',
    'x-ratelimit-remaining': '999999999',
    'x-ratelimit-reset': '1924991999',
  }
  return { status, headers: [...Object.entries(headers).flat(), ...more], body }
}

function serve(bodies: RecordedBodies, port: number): void {
  const lists = new Map(Object.entries(bodies.lists).map(([target, body]) => [target, ready(200, body)]))
  const pet = ready(200, bodies.pet, bodies.petHeaders)
  const created = ready(201, bodies.created)
  const departures = new Departures()
  createServer(OPTIONS, (request, response) => {
    const send = ({ status, headers, body }: Ready) =>
      departures.add(() => response.writeHead(status, headers as string[]).end(body, 'latin1'))
    if (request.method === 'POST') request.resume().on('end', () => send(created))
    else send(lists.get(request.url ?? '') ?? pet)
  }).listen(port, '127.0.0.1')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, bodies: { type: 'string', default: '' } },
  })
  await warmUpTicks()
  serve(JSON.parse(readFileSync(values.bodies, 'utf8')), Number(values.port))
}
