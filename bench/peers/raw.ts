/**
 * The limit of the runtime: bare `node:http` that sends prepared bytes. It checks no key, counts nothing and stores
 * nothing. Each response has the body that the service gave to the same request, and the headers that its path always
 * has. It has the same Node options and batches its writes as the service does, so that the ratio is fair.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { SendQueue } from '../../src/http/connections.ts'
import { warmUpTicks } from '../../src/service/lifecycle.ts'

const OPTIONS = { optimizeEmptyRequests: true, requireHostHeader: false, keepAliveTimeout: 72_000 }

/** Responses of the service: list20, one animal for every id, one created animal. */
export interface RecordedBodies {
  readonly list: string
  readonly pet: string
  /** Names and values alternate. */
  readonly petHeaders: readonly string[]
  readonly created: string
}

const { values } = parseArgs({ options: { port: { type: 'string' }, bodies: { type: 'string', default: '' } } })
const bodies: RecordedBodies = JSON.parse(readFileSync(values.bodies, 'utf8'))

/** In Node 26, header lists and string bodies are faster than objects and buffers. */
function ready(status: number, body: string, more: readonly string[] = []) {
  const type = ['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(body))]
  const limits = ['x-ratelimit-limit', '1000000000', 'x-ratelimit-remaining', '999999999']
  return { status, headers: [...type, ...limits, 'x-ratelimit-reset', '1924991999', ...more], body }
}

const list = ready(200, bodies.list)
const pet = ready(200, bodies.pet, bodies.petHeaders)
const created = ready(201, bodies.created)
await warmUpTicks()
const departures = new SendQueue()
createServer(OPTIONS, (request, response) => {
  const send = ({ status, headers, body }: ReturnType<typeof ready>) =>
    departures.add(() => response.writeHead(status, headers).end(body, 'latin1'))
  if (request.method === 'POST') request.resume().on('end', () => send(created))
  else send(request.url?.includes('?') ? list : pet)
}).listen(Number(values.port), '127.0.0.1')
