/**
 * Full load: as many requests as 64 connections can carry for some seconds. wrk if it is on the path, since it leaves
 * most of a core free; otherwise autocannon from the development dependencies, which is slower and may itself be the
 * limit for the fastest targets.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onPath } from '../machine.ts'

export const CONNECTIONS = 64
const TIMEOUT_SECONDS = 10

interface LoadResult {
  readonly requests: number
  readonly seconds: number
}

interface Counts extends LoadResult {
  readonly badStatus: number
  readonly socketErrors: number
}

export interface Load {
  readonly name: string
  /**
   * Replays the requests of a file against 127.0.0.1, the connections shared out evenly over the ports. Throws if any
   * answer was not a 2xx, or any connection failed: such a figure means nothing.
   */
  run(
    ports: readonly number[],
    key: string,
    requestsFile: string,
    seconds: number,
    connections?: number,
  ): Promise<LoadResult>
}

const execute = promisify(execFile)

async function generate(command: string, argv: readonly string[]): Promise<LoadResult> {
  const { stdout } = await execute(command, argv)
  const counts: Counts = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  if (counts.badStatus > 0 || counts.socketErrors > 0) {
    throw new Error(
      `This measurement is void: ${counts.badStatus} answers were errors and ${counts.socketErrors} connections failed.`,
    )
  }
  return counts
}

/** Sends to all ports at the same time. */
async function generateOn(
  ports: readonly number[],
  all: number,
  commandLine: (port: number, connections: number) => readonly [string, ...string[]],
): Promise<LoadResult> {
  const results = await Promise.all(
    ports.map((port) => {
      const [command, ...argv] = commandLine(port, Math.ceil(all / ports.length))
      return generate(command, argv)
    }),
  )
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.max(...results.map(({ seconds }) => seconds)),
  }
}

const wrk: Load = {
  name: `wrk, 1 thread, ${CONNECTIONS} connections`,
  run(ports, key, requestsFile, seconds, all = CONNECTIONS) {
    const script = `${import.meta.dirname}/requests.lua`
    const durations = ['-d', `${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`]
    const headers = ['-H', `Authorization: Bearer ${key}`]
    return generateOn(ports, all, (port, connections) => {
      const options = ['-t', '1', '-c', String(connections), ...durations, ...headers, '-s', script]
      return ['wrk', ...options, `http://127.0.0.1:${port}`, '--', requestsFile]
    })
  },
}

const autocannon: Load = {
  name: `autocannon, ${CONNECTIONS} connections (wrk is not on the path)`,
  run(ports, key, requestsFile, seconds, all = CONNECTIONS) {
    return generateOn(ports, all, (port, connections) => {
      const argv = [port, key, requestsFile, seconds, connections, TIMEOUT_SECONDS].map(String)
      return [process.execPath, `${import.meta.dirname}/autocannon.ts`, ...argv]
    })
  },
}

export function chooseLoad(): Load {
  return onPath('wrk') ? wrk : autocannon
}
