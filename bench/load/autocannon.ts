/**
 * Full load by autocannon, for machines without wrk. A separate process, so that it has the load's core to itself.
 * Called by `load.ts` as `autocannon.ts PORT KEY REQUESTS SECONDS CONNECTIONS TIMEOUT`; prints one line of JSON.
 */
import { createRequire } from 'node:module'
import { readRequests } from './read-requests.ts'

/** The part of autocannon that is used here; the package has no types. */
type Autocannon = (options: {
  url: string
  connections: number
  duration: number
  timeout: number
  headers: Record<string, string>
  requests: { setupRequest: (request: object) => object }[]
}) => Promise<{ requests: { total: number }; duration: number; non2xx: number; errors: number }>

const autocannon: Autocannon = createRequire(import.meta.url)('autocannon')

const [port, key = '', requestsFile = '', seconds, connections, timeout] = process.argv.slice(2)
const requests = readRequests(requestsFile)
let next = 0

const result = await autocannon({
  url: `http://127.0.0.1:${port}`,
  connections: Number(connections),
  duration: Number(seconds),
  timeout: Number(timeout),
  headers: { authorization: `Bearer ${key}` },
  requests: [
    {
      setupRequest(request) {
        const { method, target, body } = requests[next++ % requests.length] ?? {}
        const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
        return { ...request, method, path: target, body, headers }
      },
    },
  ],
})
console.log(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    badStatus: result.non2xx,
    socketErrors: result.errors,
  }),
)
