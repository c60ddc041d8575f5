/**
 * Lists and creates animals at 127.0.0.1:8080, on new connections and on one that stays open, until standard input ends.
 * Then prints the statuses and errors with their counts as JSON.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 40
const [key = ''] = process.argv.slice(2)
const counts: Record<string, number> = {}
const kept = new Agent({ keepAlive: true, maxSockets: 1 })
const BODY = JSON.stringify({ name: 'Rex', categoryId: 1 })

function send(method: 'GET' | 'POST', agent: Agent | false): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, ...(method === 'POST' && { 'content-type': 'application/json' }) }
  const { promise, resolve } = Promise.withResolvers<void>()
  const count = (outcome: string) => {
    counts[`${method} ${outcome}`] = (counts[`${method} ${outcome}`] ?? 0) + 1
    resolve()
  }
  const sent = request({ host: '127.0.0.1', port: 8080, path: '/v1/pets?limit=1', method, agent, headers })
  sent.on('response', (response) => response.resume().once('end', () => count(String(response.statusCode))))
  sent.on('error', (error) => count(error.message))
  sent.end(method === 'POST' ? BODY : undefined)
  return promise
}

let isEnding = false
process.stdin.resume().once('end', () => {
  isEnding = true
})
const all: Promise<void>[] = []
while (!isEnding) {
  for (const agent of [false, kept] as const) all.push(send('GET', agent), send('POST', agent))
  await sleep(EVERY_MS)
}
await Promise.all(all)
kept.destroy()
process.stdout.write(JSON.stringify(counts))
