/**
 * What a strain does to the real process, seen from outside: its resident memory, and how long the public port's
 * answers take.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './http.ts'
import { type RunningService, startService } from './service.ts'

const EVERY_MS = 10

interface Strain {
  /** The most that was resident, in MiB. */
  readonly peakMiB: number
  /** Of the answers of the public port meanwhile, in ms. */
  readonly p99Ms: number
  readonly worstMs: number
  /** The same of another process that nothing strained: what the machine was busy with besides. */
  readonly idleP99Ms: number
  readonly answers: number
}

/** `VmRSS` of the process, in MiB; on Linux only. */
function residentMiB({ process }: RunningService): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Watches the process from before `work` begins until it has ended. */
export async function strainOf(service: RunningService, work: () => Promise<void>): Promise<Strain> {
  const port = Number(new URL(service.baseUrl).port)
  const { key } = await service.issueKey()
  await using idle = await startService({ args: ['--anonymous-per-minute', '1000000'] })
  const idlePort = Number(new URL(idle.baseUrl).port)
  const tookMs: number[] = []
  const idleMs: number[] = []
  let peakMiB = 0
  let isOver = false
  const watch = async () => {
    do {
      const startMs = performance.now()
      const { status } = await call(port, { key, path: '/v1/pets?limit=1' })
      if (status !== 200) throw new Error(`the public port answered ${status}`)
      tookMs.push(performance.now() - startMs)
      const idleStartMs = performance.now()
      await call(idlePort, { path: '/v1/pets?limit=1' })
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
  return {
    peakMiB: Math.round(peakMiB),
    p99Ms: p99Of(tookMs),
    worstMs: Math.round(Math.max(...tookMs)),
    idleP99Ms: p99Of(idleMs),
    answers: tookMs.length,
  }
}

/** Whether the public port answered in less than so many ms, for all that the process had to do with it. */
export function isQuick({ p99Ms, idleP99Ms }: Strain, mostMs: number): boolean {
  return p99Ms < mostMs + 5 * idleP99Ms
}

function p99Of(tookMs: readonly number[]): number {
  const sorted = tookMs.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}
