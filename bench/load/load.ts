/** Starts the load generators: wrk for full load, generator.ts for a fixed rate. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Server } from '../server.ts'

export const CONNECTIONS = 64
const TIMEOUT_SECONDS = 10
const GENERATOR = `${import.meta.dirname}/generator.ts`

interface LoadResult {
  readonly requests: number
  readonly seconds: number
}

export interface Latencies extends LoadResult {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

interface LoadCounts extends Latencies {
  readonly unanswered: number
  readonly badStatus: number
  readonly socketErrors: number
}

/** Sends as many requests as the connections can carry. Throws if an answer was not a 2xx or a connection failed. */
export function fullLoad({ port, key }: Server, requestsFile: string, seconds: number): Promise<LoadResult> {
  const options = ['-t', 1, '-c', CONNECTIONS, '-d', `${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`]
  const script = ['-H', `Authorization: Bearer ${key}`, '-s', `${import.meta.dirname}/requests.lua`]
  return generate('wrk', [...options, ...script, `http://127.0.0.1:${port}`, '--', requestsFile])
}

/** Sends `perSecond` requests, each at its due time, and measures after the warm-up. Throws as `fullLoad` does. */
export function fixedRate(
  { port, key }: Server,
  requestsFile: string,
  perSecond: number,
  warmUpSeconds: number,
  seconds: number,
): Promise<Latencies> {
  const argv = [GENERATOR, port, key, requestsFile, perSecond, warmUpSeconds, seconds, CONNECTIONS]
  return generate(process.execPath, argv)
}

async function generate(command: string, argv: readonly (string | number)[]): Promise<LoadCounts> {
  const { stdout } = await promisify(execFile)(command, argv.map(String)).catch((error) => {
    throw error.code === 'ENOENT' ? new Error(`There is no ${command}: apt-get install ${command}.`) : error
  })
  const counts: LoadCounts = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  const { badStatus, socketErrors, unanswered = 0 } = counts
  if (badStatus + socketErrors + unanswered > 0) {
    throw new Error(
      `This measurement is void: ${badStatus} answers were errors, ${unanswered} never came, and ${socketErrors} connections failed.`,
    )
  }
  return counts
}
