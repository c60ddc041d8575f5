/**
 * One server under measurement: its nodes are started pinned, each on a port of its own, watched until they answer,
 * asked for the processor time and memory they used (from /proc, so on Linux only), and stopped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pin } from './machine.ts'
import type { Launch, Seed } from './target.ts'

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 1
/** The unit of times in /proc/PID/stat on every Linux that Node runs on. */
const CLOCK_TICK_MS = 10
const KEPT_STDERR_CHARACTERS = 4_000

export interface Server {
  /** Of the first node. */
  readonly port: number
  /** Of every node. */
  readonly ports: readonly number[]
  readonly key: string
  /** What `pets import --database` takes to add to its animals. */
  readonly database: string | undefined
  /** From the moment of spawning the first node to the last byte of the head of its first answer. */
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

/** Where a server runs: its cores, one pin for each node, and what else its environment says. */
export interface Surroundings {
  readonly pins: readonly [Pin, ...Pin[]]
  readonly env: Readonly<Record<string, string>>
}

/** One process of a server. */
interface Node {
  readonly port: number
  readonly pid: number
  readonly firstAnswerMs: number
  stop(): Promise<void>
}

async function startNode(argv: Launch['argv'], key: string, pin: Pin, env: Surroundings['env']): Promise<Node> {
  const port = await freePort()
  const [command, ...pinned] = pin([...argv, '--port', String(port)])
  const startMs = performance.now()
  const child = spawn(command, pinned, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } })
  const exited = once(child, 'exit')
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT_STDERR_CHARACTERS)
  })
  const name = argv.join(' ')

  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    const patience = setTimeout(killWithUs, STOP_TIMEOUT_MS)
    await exited
    clearTimeout(patience)
    process.off('exit', killWithUs)
  }

  async function firstAnswer(): Promise<number> {
    while (performance.now() - startMs < START_TIMEOUT_MS) {
      const status = await tryOnce(port, key)
      if (status === 200) return performance.now() - startMs
      if (status !== undefined)
        throw new Error(`The server's first answer was ${status}, not 200 (${name}).\n${stderr}`)
      if (child.exitCode !== null) throw new Error(`The server ended before it answered (${name}).\n${stderr}`)
      await sleep(POLL_MS)
    }
    throw new Error(`The server did not answer within ${START_TIMEOUT_MS / 1000} s (${name}).\n${stderr}`)
  }

  try {
    return { port, pid: child.pid ?? 0, firstAnswerMs: await firstAnswer(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Starts a server over a fresh copy of `seed`, one node after the other and each pinned by the next of the pins, hands
 * it to `use` once all have answered 200, and stops it afterwards.
 */
export async function withServer<T>(
  seed: Seed,
  { pins, env }: Surroundings,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const launch = await seed.launch()
  const started: Node[] = []
  try {
    const startNext = async () => {
      const node = await startNode(launch.argv, seed.key, pins[started.length % pins.length] ?? pins[0], env)
      started.push(node)
      return node
    }
    const first = await startNext()
    while (started.length < launch.nodes) await startNext()
    return await use({
      port: first.port,
      ports: started.map(({ port }) => port),
      key: seed.key,
      database: launch.database,
      firstAnswerMs: first.firstAnswerMs,
      processorMs: () => sum(started.map(({ pid }) => processorMs(pid))),
      residentMiB: () => sum(started.map(({ pid }) => residentMiB(pid))),
    })
  } finally {
    await Promise.all(started.map((node) => node.stop()))
    await launch.discard()
  }
}

/** Undefined when a part of it is not known. */
function sum(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((total, part) => (total === undefined || part === undefined ? undefined : total + part), 0)
}
