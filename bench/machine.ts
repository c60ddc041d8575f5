/**
 * The machine of the benchmark: its description, and which core runs the server and which the load. This process and
 * the load generators it starts share the last core.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

/** Wraps `argv` so that the process runs on the server's core. */
export type Pin = (argv: readonly [string, ...string[]]) => readonly [string, ...string[]]

interface Cores {
  readonly server: Pin
  readonly description: string
}

/** Pins this process to the last core, and returns how to start a server on the first. */
export function divideCores(): Cores {
  const unpinned = (reason: string): Cores => ({
    server: (argv) => argv,
    description: `nothing is pinned (${reason}): expect more noise`,
  })
  if (spawnSync('taskset', ['--version']).error !== undefined) return unpinned('taskset is not on the path')
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const [serverCore, loadCore] = [/^\d+/, /\d+$/].map((one) => one.exec(allowed)?.[0] ?? '')
  if (serverCore === loadCore) return unpinned('there is one core only')
  execFileSync('taskset', ['-a', '-c', '-p', `${loadCore}`, `${process.pid}`])
  return {
    server: (argv) => ['taskset', '-c', `${serverCore}`, ...argv],
    description: `server on core ${serverCore}, load on core ${loadCore} (taskset)`,
  }
}

export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${processor}, ${cpus().length} cores, ${memory}, ${process.platform} ${release()} ${process.arch}, Node ${process.version}`
}
