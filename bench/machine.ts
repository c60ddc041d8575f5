/**
 * The machine under the benchmark: which cores serve and which one asks, and the facts that a reader needs to judge the
 * figures. This process and the load generators it starts share the last core; each node of a server gets one of the
 * others.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

const FDATASYNC_PROBE_MS = 500
const PAGE_BYTES = 4096

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
  /** Synced writes of one page after the other, each second: what limits a server that commits one by one. */
  readonly fdatasyncPerSecond: number
  readonly pinning: string
  readonly generator: string
}

/** `argv` as it must be spawned to run on the server's core, or on all of them. */
export type Pin = (argv: readonly [string, ...string[]]) => readonly [string, ...string[]]

export interface Cores {
  /** One for each core that serves; the nodes of a target take them in turn. */
  readonly servers: readonly [Pin, ...Pin[]]
  readonly all: Pin
  readonly description: string
}

export function onPath(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** The numbers in a list such as `0-2,5`. */
function parseCpuList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  })
}

/** On this core alone. */
function on(core: number): Pin {
  return (argv) => ['taskset', '-c', String(core), ...argv]
}

export const ANYWHERE: Pin = (argv) => argv

/** Puts this process on the last core, which is the load's, and says how to start servers on the others. */
export function divideCores(): Cores {
  const unpinned = (reason: string): Cores => ({
    servers: [ANYWHERE],
    all: ANYWHERE,
    description: `nothing is pinned (${reason}): expect more noise`,
  })
  if (!onPath('taskset')) return unpinned('taskset is not on the path')
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const [firstCore, ...otherCores] = parseCpuList(allowed)
  const loadCore = otherCores.pop()
  if (firstCore === undefined || loadCore === undefined) return unpinned('there is one core only')
  execFileSync('taskset', ['-a', '-c', '-p', String(loadCore), String(process.pid)])
  return {
    servers: [on(firstCore), ...otherCores.map(on)],
    all: (argv) => ['taskset', '-c', allowed, ...argv],
    description: `servers on core ${[firstCore, ...otherCores].join(', ')}, load on core ${loadCore} (taskset)`,
  }
}

function probeFdatasync(folder: string): number {
  const path = join(folder, 'fdatasync-probe')
  const file = openSync(path, 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const startMs = performance.now()
  let count = 0
  for (; performance.now() - startMs < FDATASYNC_PROBE_MS; count++) {
    writeSync(file, page)
    fdatasyncSync(file)
  }
  const seconds = (performance.now() - startMs) / 1000
  closeSync(file)
  rmSync(path)
  return Math.round(count / seconds)
}

export function describeMachine(folder: string, cores: Cores, generator: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    fdatasyncPerSecond: probeFdatasync(folder),
    pinning: cores.description,
    generator,
  }
}
