/** Starts real servers for tests: a free port, and a process that ends with the tests. */
import type { ChildProcess } from 'node:child_process'
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

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}

/** A child that never outlives the tests, however they end, and for which no test waits that failed to stop it. */
export function endWithTests(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  child.on('error', () => {}) // it could not be started, and has no pid: `assertRuns` says so
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

export function assertRuns(child: ChildProcess): void {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} cannot be started`)
  const ended = child.exitCode ?? child.signalCode
  if (ended !== null) throw new Error(`${child.spawnfile} ended with ${ended}`)
}

/** Resolves when something listens on the port. */
export async function listening(port: number, child: ChildProcess): Promise<void> {
  await until(`port ${port} is listened on`, async () => {
    assertRuns(child)
    const socket = connect(port, '127.0.0.1')
    const reached = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    return reached
  })
}
