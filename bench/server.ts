/**
 * One server under measurement: started on the first core and a port of its own, watched until it responds, asked for
 * the processor time it used (from /proc, so on Linux only), and stopped.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { endWithTests, freePort, stop, untilRunning } from '../test/support/servers/servers.ts'

export type Argv = readonly [program: string, ...args: string[]]

/** A database with the animals, and a key whose limits no run reaches. */
export interface Seed {
  readonly key: string
  /** Copies the animals, so that runs do not affect each other. Resolves to the command of a server, without its port. */
  launch(): Promise<Argv>
}

export interface Server {
  readonly port: number
  readonly key: string
  /** CPU time used so far. */
  processorMs(): number
}

/** The unit of times in /proc/PID/stat on every Linux that Node runs on. */
const CLOCK_TICK_MS = 10

function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is a name in parentheses, which can contain spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

/** Starts a server over a fresh copy of `seed`, passes it to `use` once it has answered 200, and stops it afterwards. */
export async function withServer<T>(seed: Seed, use: (server: Server) => Promise<T>): Promise<T> {
  const port = await freePort()
  const argv = ['-c', '0', ...(await seed.launch()), '--port', String(port)]
  const child = spawn('taskset', argv, { stdio: ['ignore', 'ignore', 'inherit'] })
  endWithTests(child)
  const headers = { authorization: `Bearer ${seed.key}`, connection: 'close' }
  const answers = () => fetch(`http://127.0.0.1:${port}/v1/pets`, { headers }).then(({ status }) => status === 200)
  try {
    await untilRunning(child, () => answers().catch(() => false))
    return await use({ port, key: seed.key, processorMs: () => processorMs(child.pid ?? 0) })
  } finally {
    await stop(child, 'SIGTERM')
  }
}
