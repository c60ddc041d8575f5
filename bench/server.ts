/**
 * One server under measurement: started pinned on a port of its own, watched until it answers, asked for the processor
 * time it used (from /proc, so on Linux only), and stopped.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithTests, freePort, stop } from '../test/support/servers/servers.ts'
import type { Pin } from './machine.ts'
import type { Seed } from './targets.ts'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 1
/** The unit of times in /proc/PID/stat on every Linux that Node runs on. */
const CLOCK_TICK_MS = 10
const KEPT_STDERR_CHARACTERS = 4_000

export interface Server {
  readonly port: number
  readonly key: string
  /** The time from spawn to the headers of the first answer. */
  readonly firstAnswerMs: number
  /** CPU time used so far. */
  processorMs(): number
}

function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is a name in parentheses, which may hold spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

/** Starts a server over a fresh copy of `seed`, hands it to `use` once it has answered 200, and stops it afterwards. */
export async function withServer<T>(seed: Seed, pin: Pin, use: (server: Server) => Promise<T>): Promise<T> {
  await using launch = await seed.launch()
  const name = launch.argv.join(' ')
  const port = await freePort()
  const [command, ...args] = pin([...launch.argv, '--port', String(port)])
  const startMs = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithTests(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT_STDERR_CHARACTERS)
  })

  async function firstAnswer(): Promise<number> {
    const headers = { authorization: `Bearer ${seed.key}`, connection: 'close' }
    while (performance.now() - startMs < START_TIMEOUT_MS) {
      const status = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers }).then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) return performance.now() - startMs
      if (status !== undefined)
        throw new Error(`The server's first answer was ${status}, not 200 (${name}).\n${stderr}`)
      if (child.exitCode !== null) throw new Error(`The server ended before it answered (${name}).\n${stderr}`)
      await sleep(POLL_MS)
    }
    throw new Error(`The server did not answer within ${START_TIMEOUT_MS / 1000} s (${name}).\n${stderr}`)
  }

  try {
    const firstAnswerMs = await firstAnswer()
    return await use({ port, key: seed.key, firstAnswerMs, processorMs: () => processorMs(child.pid ?? 0) })
  } finally {
    await stop(child, 'SIGTERM')
  }
}
