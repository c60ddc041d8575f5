/**
 * One server under measurement: started pinned on a port of its own, watched until it answers, asked for the processor
 * time and memory it used (from /proc, so on Linux only), and stopped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pin } from './machine.ts'
import type { Seed } from './target.ts'

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 1
/** The unit of times in /proc/PID/stat on every Linux that Node runs on. */
const CLOCK_TICK_MS = 10
const KEPT_STDERR_CHARACTERS = 4_000

export interface Server {
  readonly port: number
  readonly key: string
  /** From the moment of spawning to the last byte of the first answer's head. */
  readonly firstAnswerMs: number
  /** Processor time used up to now. */
  processorMs(): number | undefined
  /** Resident memory now. */
  residentMiB(): number | undefined
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Status of the answer to one request on a connection of its own; undefined when nobody listens yet. */
function tryOnce(port: number, key: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let head = ''
    socket.setEncoding('latin1')
    socket.on('connect', () => {
      socket.write(`GET /v1/pets HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    })
    socket.on('data', (chunk: string) => {
      head += chunk
      if (!head.includes('\r\n\r\n')) return
      resolve(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)))
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

function processorMs(pid: number): number | undefined {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return undefined
  const stat = readFileSync(path, 'utf8')
  // The second field is a name in parentheses, which may hold spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

function residentMiB(pid: number): number | undefined {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return undefined
  const kibibytes = /^VmRSS:\s*(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
}

/** Starts a server over a fresh copy of `seed`, hands it to `use` once it has answered 200, and stops it afterwards. */
export async function withServer<T>(seed: Seed, pin: Pin, use: (server: Server) => Promise<T>): Promise<T> {
  const launch = await seed.launch()
  const port = await freePort()
  const [command, ...argv] = pin([process.execPath, ...launch.argv, '--port', String(port)])
  const startMs = performance.now()
  const child = spawn(command, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT_STDERR_CHARACTERS)
  })
  const name = launch.argv.join(' ')

  async function firstAnswer(): Promise<number> {
    while (performance.now() - startMs < START_TIMEOUT_MS) {
      const status = await tryOnce(port, seed.key)
      if (status === 200) return performance.now() - startMs
      if (status !== undefined)
        throw new Error(`The server's first answer was ${status}, not 200 (${name}).\n${stderr}`)
      if (child.exitCode !== null) throw new Error(`The server ended before it answered (${name}).\n${stderr}`)
      await sleep(POLL_MS)
    }
    throw new Error(`The server did not answer within ${START_TIMEOUT_MS / 1000} s (${name}).\n${stderr}`)
  }

  const { pid = 0 } = child
  try {
    const firstAnswerMs = await firstAnswer()
    return await use({
      port,
      key: seed.key,
      firstAnswerMs,
      processorMs: () => processorMs(pid),
      residentMiB: () => residentMiB(pid),
    })
  } finally {
    child.kill('SIGTERM')
    const patience = setTimeout(killWithUs, STOP_TIMEOUT_MS)
    await exited
    clearTimeout(patience)
    process.off('exit', killWithUs)
    await launch.discard()
  }
}
