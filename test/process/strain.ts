/** What a strain does to the real process: its resident memory, and how long the public port takes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, RawConnection } from '../support/http.ts'
import { type RunningService, startService } from '../support/service.ts'
import { oneOf } from '../support/until.ts'

const EVERY_MS = 10
/** What is asked for takes no room, whatever the others hold. */
const ABSENT = '/v1/pets/100000'

function residentMiB({ process }: RunningService): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Also the p99 of another process that nothing strains, by which a busy machine shows. */
async function strainOf(service: RunningService, work: () => Promise<void>) {
  const port = service.port
  const { key } = await service.issueKey()
  await using idle = await startService({ args: ['--anonymous-per-minute', '1000000'], operatorPort: 'none' })
  const idlePort = idle.port
  const tookMs: number[] = []
  const idleMs: number[] = []
  let peakMiB = 0
  let isOver = false
  const watch = async () => {
    do {
      const startMs = performance.now()
      const { status } = await call(port, { key, path: ABSENT })
      if (status !== 404) throw new Error(`the public port answered ${status}`)
      tookMs.push(performance.now() - startMs)
      const idleStartMs = performance.now()
      await call(idlePort, { path: ABSENT })
      idleMs.push(performance.now() - idleStartMs)
      peakMiB = Math.max(peakMiB, residentMiB(service))
      await sleep(EVERY_MS)
    } while (!isOver)
  }
  const watching = watch()
  try {
    await work()
  } finally {
    isOver = true
    await watching
  }
  return { peakMiB: Math.round(peakMiB), p99Ms: p99Of(tookMs), idleP99Ms: p99Of(idleMs) }
}

/** Fails if `work` takes more memory or holds up the public port for longer. A busy machine tries again. */
export function assertLight(
  service: RunningService,
  { mostMiB, p99Ms }: { readonly mostMiB: number; readonly p99Ms: number },
  work: () => Promise<void>,
): Promise<void> {
  return oneOf(5, async () => {
    const strain = await strainOf(service, work)
    assert(strain.peakMiB < mostMiB, `${strain.peakMiB} MiB`)
    return strain.p99Ms < p99Ms + 5 * strain.idleP99Ms ? undefined : JSON.stringify(strain)
  })
}

/** Sends each of these on a connection of its own, of which nothing is read, and which stays open for so long. */
export async function holdUnread(port: number, requests: readonly (string | Buffer)[], forMs: number): Promise<void> {
  const connections: RawConnection[] = []
  for (const [n, request] of requests.entries()) {
    const connection = new RawConnection(port)
    connection.socket.pause()
    connections.push(connection.send(request))
    if (n % 50 === 49) await sleep(EVERY_MS)
  }
  await sleep(forMs)
  for (const connection of connections) connection[Symbol.dispose]()
}

function p99Of(tookMs: readonly number[]): number {
  const sorted = tookMs.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}
