/** Starts servers on free ports, as processes that end with the tests. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { until } from '../until.ts'

/** A server starts or stops within this time, even on a busy machine. */
export const TIMEOUT_MS = 60_000

const NOBODY = 65_534
/** Options of `spawn` for servers that refuse to run as root. */
export const notAsRoot = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/**
 * Free ports are searched below those that Linux assigns itself, also with 10,000 added, which a Redis of a cluster does.
 * Each process begins elsewhere.
 */
const PORTS = { from: 12_000, count: 10_000, apart: 97 }
let lastPort = (process.pid * PORTS.apart) % PORTS.count

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.count; tries += 1) {
    lastPort = (lastPort + 1) % PORTS.count
    const port = PORTS.from + lastPort
    if (await isFree(port)) return port
  }
  throw new Error('no port')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}

/** The child never outlives the tests, and no test waits for it. */
export function endWithTests(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  child.on('error', () => {}) // without a pid it could not be started, as `untilRunning` reports
  child.unref()
}

/** By force if the signal is not enough. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.ref()
  child.kill(signal)
  const force = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  await exited
  clearTimeout(force)
}

export type TestServer = Awaited<ReturnType<typeof runServer>>

/** By default it is up if it listens on its port. */
export async function runServer(
  port: number,
  [program = '', ...args]: readonly string[],
  { stopBy = 'SIGTERM', killBy = 'SIGKILL', isUp = isListenedOn, ...options }: ServerOptions = {},
) {
  let server: ChildProcess
  const restart = async () => {
    server = spawn(program, args, { stdio: 'ignore', ...options })
    endWithTests(server)
    await untilRunning(server, () => isUp(port))
  }
  await restart()
  const end = () => stop(server, stopBy)
  return {
    port,
    get pid() {
      return server.pid ?? 0
    },
    kill: () => stop(server, killBy),
    restart,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    stop: end,
    [Symbol.asyncDispose]: end,
  }
}

interface ServerOptions extends SpawnOptions {
  readonly stopBy?: NodeJS.Signals
  readonly killBy?: NodeJS.Signals
  readonly isUp?: (port: number) => Promise<boolean>
}

/** Fails if the server has ended. */
export function untilRunning(server: ChildProcess, isUp: () => Promise<boolean>): Promise<void> {
  return until(`${server.spawnfile} answers`, () => {
    if (server.pid === undefined) throw new Error(`${server.spawnfile} cannot be started`)
    const ended = server.exitCode ?? server.signalCode
    if (ended !== null) throw new Error(`${server.spawnfile} ended with ${ended}`)
    return isUp()
  })
}

async function isListenedOn(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isReached = await once(socket, 'connect').then(Boolean, () => false)
  socket.destroy()
  return isReached
}
