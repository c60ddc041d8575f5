/** Three of our nodes, each configured as in deploy/ha/pets.env, behind the nginx of deploy/. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Door } from './doors.ts'
import type { Alone, Via } from './history.ts'
import type { Program } from './program.ts'
import { MACHINES, type Machine, type Site } from './site.ts'

const PETS = resolve(import.meta.dirname, '../../src/cli/pets.js')

/** Where clients reach a node, or nginx. */
export interface Entrance {
  readonly via: Via
  readonly host: string
  readonly port: number
}

export interface Node extends Entrance {
  readonly program: Program
  /** Its connections to clients and to the database. */
  readonly doors: readonly Door[]
  /** Whether it answers and counts together with the others. */
  isWhole(): Promise<boolean>
  /** When it counted by itself, by its log. */
  alone(): readonly Alone[]
}

export function startNodes(site: Site): Promise<readonly Node[]> {
  return Promise.all(MACHINES.map((machine) => startNode(site, machine)))
}

/** The database as a node on the first machine knows it. */
export function databaseUrl(site: Site): string {
  return String(site.renderEnv('pets.env', 1).PETS_DATABASE).replace('127.0.0.1', site.inside(1))
}

async function startNode(site: Site, machine: Machine): Promise<Node> {
  const via = `node${machine}` as const
  const port = site.port('node')
  const host = site.outside(machine)
  const between = site.open({ host, port }, { host: site.inside(machine), port })
  const haproxy = { host: site.inside(machine), port: site.port('haproxy') }
  const toDatabase = site.open({ ...haproxy, host }, haproxy)
  const doors = await Promise.all([between, toDatabase])

  const env = site.renderEnv('pets.env', machine)
  const readyUrl = `http://${site.inside(machine)}:${site.port('operator')}/readyz`
  const program = site.start(via, {
    command: [process.execPath, PETS, 'serve'],
    env: {
      ...env,
      PETS_DATABASE: String(env.PETS_DATABASE).replace('127.0.0.1', host),
      PETS_OPERATOR_HOST: site.inside(machine),
    },
  })
  return {
    via,
    program,
    host,
    port,
    doors,
    isWhole: () => isWhole(readyUrl),
    alone: () => aloneIn(readFileSync(site.log(via), 'utf8'), via),
  }
}

async function isWhole(readyUrl: string): Promise<boolean> {
  try {
    const response = await fetch(readyUrl, { signal: AbortSignal.timeout(1_000) })
    return response.ok && !(await response.text()).includes('counts by itself')
  } catch {
    return false
  }
}

interface LogLine {
  /** ISO 8601. */
  readonly time: string
  readonly pid: number
  readonly msg: string
}

/**
 * When the node counted by itself, by the lines of its log: from each `the shared counters do not count` to the next
 * `counters are shared again`, or to the end of the process.
 */
export function aloneIn(log: string, node: Via): readonly Alone[] {
  const phases: { type: 'alone'; node: Via; life: number; startMs: number; endMs: number }[] = []
  for (const { time, pid, msg } of linesOf(log)) {
    const last = phases.at(-1)
    const isOpen = last !== undefined && last.endMs === Infinity
    if (isOpen && (last.life !== pid || msg.startsWith('counters are shared again'))) last.endMs = toMs(time)
    if (msg.startsWith('the shared counters do not count'))
      phases.push({ type: 'alone', node, life: pid, startMs: toMs(time), endMs: Infinity })
  }
  return phases
}

/** Throws on anything that is no time: nothing overlaps with that, so the checker would take the node to be well. */
function toMs(time: string): number {
  const ms = Date.parse(time)
  if (Number.isNaN(ms)) throw new Error(`the log of a node has ${JSON.stringify(time)} where a time should be`)
  return ms
}

/** A killed process may leave half a line. */
function linesOf(log: string): readonly LogLine[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)
}
