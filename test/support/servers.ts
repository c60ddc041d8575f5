/** Starts real servers for tests: a free port, and a process that ends with the tests. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { until } from './until.ts'

/** A server starts or stops in less time than this, in milliseconds, even on a busy machine. */
export const PATIENCE_MS = 30_000

const NOBODY = 65_534
/** Options of `spawn` for servers that refuse to run as root. */
export const notAsRoot = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
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
  const force = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
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
