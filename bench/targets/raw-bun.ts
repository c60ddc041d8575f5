/**
 * What Bun gives without any work: `Bun.serve` that sends the prepared bytes of raw.ts, with the same headers. Run by
 * Bun, not by Node.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { RecordedBodies } from './raw.ts'

interface Options {
  readonly port: number
  readonly hostname: string
  fetch(request: Request): Response | Promise<Response>
}
declare const Bun: { serve(options: Options): unknown }

const LIMITS = {
  'content-type': 'application/json; charset=utf-8',
  'x-ratelimit-limit': '1000000000',
  'x-ratelimit-remaining': '999999999',
  'x-ratelimit-reset': '1924991999',
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, bodies: { type: 'string', default: '' } },
})
const bodies: RecordedBodies = JSON.parse(readFileSync(values.bodies, 'utf8'))
const lists = new Map(Object.entries(bodies.lists))
const ok = { headers: LIMITS }
const [sunset, sunsetDate, link, linkTarget] = bodies.petHeaders as [string, string, string, string]
const pet = { headers: { ...LIMITS, [sunset]: sunsetDate, [link]: linkTarget } }
const created = { status: 201, headers: LIMITS }

Bun.serve({
  port: Number(values.port),
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'POST') {
      await request.text()
      return new Response(bodies.created, created)
    }
    const list = lists.get(request.url.slice(request.url.indexOf('/', 'http://'.length)))
    return list === undefined ? new Response(bodies.pet, pet) : new Response(list, ok)
  },
})
