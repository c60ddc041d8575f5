/** Full load on a server, by wrk on the second core. requests.lua has the workloads. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Server } from './server.ts'

export const CONNECTIONS = 64

interface Load {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Sends as many requests as the connections can carry. Throws if a response was not a 2xx or a connection failed. */
export async function fullLoad({ port, key }: Server, workload: readonly string[], seconds: number): Promise<Load> {
  const options = ['-t', '1', '-c', `${CONNECTIONS}`, '-d', `${seconds}s`, '--timeout', '10s']
  const script = ['-H', `Authorization: Bearer ${key}`, '-s', `${import.meta.dirname}/requests.lua`]
  const argv = ['-c', '1', 'wrk', ...options, ...script, `http://127.0.0.1:${port}`, '--', ...workload]
  const { stdout } = await promisify(execFile)('taskset', argv)
  const load: Load & { readonly errors: number } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  if (load.errors > 0) throw new Error(`This measurement is void: ${load.errors} requests failed.`)
  return load
}
