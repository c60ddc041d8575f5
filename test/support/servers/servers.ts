/** Starts real servers for tests: a free port, and a process that ends with the tests, and can be frozen and begun again. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { until } from '../until.ts'

/** A server starts or stops in less time than this, in milliseconds, even on a busy machine. */
export const TIMEOUT_MS = 60_000

const NOBODY = 65_534
/** Options of `spawn` for servers that refuse to run as root. */
export const notAsRoot = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/**
 * Where free ports are looked for: below those that Linux gives to whoever asks for any, so that nobody is given one
 * between the look and its use, nor the port 10,000 above, which a Redis of a cluster takes as well. Each process
 * begins somewhere else.
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

/** A child that never outlives the tests, however they end, and for which no test waits that failed to stop it. */
export function endWithTests(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  child.on('error', () => {}) // it could not be started, and has no pid: `untilRunning` says so
  child.unref()
}

/** Ends the child, by force if the signal is not enough. */
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

/** Resolves when the program is up: it listens on its port, unless told. */
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

/** Fails at once when the server has ended. */
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
