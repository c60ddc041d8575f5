/**
 * Breaks the cluster, one or two servers at a time, and repairs it again. Its actions follow from a seed; the history
 * records which server it hit (who is the leader at that moment).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { type Fault, type History, TARGETS, type Target, VERBS, type Verb } from './history.ts'
import { forgetsLease } from './patroni.ts'
import type { Program } from './program.ts'

interface Step {
  readonly faults: readonly { readonly verb: Verb; readonly target: Target }[]
  readonly forMs: number
}

/** A server of PostgreSQL is replaced after 20 s at the latest (`ttl` in patroni.yml), so its faults outlast that. */
const POSTGRES_FAULT_MS = 26_000
const SHORTEST_FAULT_MS = 4_000
const LONGEST_FAULT_MS = 10_000
/** Less than the 250 ms that a node waits for counters, and more than that with the way back. */
const SLOW_MS = 150
/** How long everything may take to recover after a fault is lifted. */
const RECOVERY_MS = 300_000
const QUIET_MS = 2_000

/** Each fault alone, in a random order, and a pair between every two of them. `random`: as Math.random. */
export function plan(steps: number, random: () => number): readonly Step[] {
  const draw = <T>(from: T[]): T => from.splice(Math.floor(random() * from.length), 1)[0] as T
  const all = () => VERBS.flatMap((verb) => TARGETS.map((target) => ({ verb, target })))
  let singles = all()
  return Array.from({ length: steps }, (_, index) => {
    if (singles.length === 0) singles = all()
    const pairs = all()
    return toStep(index % 2 === 0 ? [draw(singles)] : [draw(pairs), draw(pairs)], random)
  })
}

/** Reads `kill leader+cut node`. */
export function parseStep(text: string, random: () => number): Step {
  const faults = text.split('+').map((name) => {
    const [, verb, target] = /^(\S+) (.+)$/.exec(name.trim()) ?? []
    const fault = { verb: VERBS.find((one) => one === verb), target: TARGETS.find((one) => one === target) }
    if (fault.verb === undefined || fault.target === undefined) {
      throw new Error(`There is no fault "${name}"; write one of ${VERBS.join(', ')} and one of ${TARGETS.join(', ')}.`)
    }
    return { verb: fault.verb, target: fault.target }
  })
  return toStep(faults, random)
}

function toStep(faults: Step['faults'], random: () => number): Step {
  const isLong = faults.some(({ verb, target }) => /leader|replica/.test(target) && verb !== 'slow')
  const shortMs = SHORTEST_FAULT_MS + random() * (LONGEST_FAULT_MS - SHORTEST_FAULT_MS)
  return { faults, forMs: isLong ? POSTGRES_FAULT_MS : Math.round(shortMs) }
}

export function nameOf({ faults }: Step): string {
  return faults.map(({ verb, target }) => `${verb} ${target}`).join('+')
}

/** A server as the nemesis sees it. */
interface Victim {
  readonly on: string
  readonly program: Program
  /** Whether it is restarted after a stop, as a watchdog would, instead of going on where it was. */
  readonly isFenced?: boolean
  cut(): void
  slow(): void
  heal(): void
}

export class Nemesis {
  readonly #cluster: Cluster
  readonly #history: History
  readonly #random: () => number
  readonly #tell: (line: string) => void

  constructor(cluster: Cluster, history: History, random: () => number, tell: (line: string) => void) {
    this.#cluster = cluster
    this.#history = history
    this.#random = random
    this.#tell = tell
  }

  /** Throws if the cluster has not recovered within 300 s after the faults are lifted. */
  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const faults = await this.#choose(step)
      const startMs = Date.now()
      for (const { verb, victim } of faults) strike(verb, victim)
      this.#tell(`${nameOf(step)} (${faults.map(({ victim }) => victim.on).join(', ')}) for ${step.forMs / 1_000} s`)
      await sleep(step.forMs)
      for (const { verb, victim } of faults) lift(verb, victim)
      const liftedMs = Date.now()
      try {
        await this.#cluster.whole(RECOVERY_MS)
      } finally {
        const endMs = Date.now()
        for (const { verb, target, victim } of faults) {
          this.#history.record({ type: 'fault', verb, target, on: victim.on, startMs, endMs } satisfies Fault)
        }
        this.#tell(`  ${((endMs - liftedMs) / 1_000).toFixed(1)} s until it was whole again`)
      }
      await sleep(QUIET_MS)
    }
  }

  async #choose({ faults }: Step) {
    const chosen: { verb: Verb; target: Target; victim: Victim }[] = []
    for (const { verb, target } of faults) {
      const free = (await this.#candidates(target)).filter(({ on }) => !chosen.some(({ victim }) => victim.on === on))
      const victim = free[Math.floor(this.#random() * free.length)]
      if (victim !== undefined) chosen.push({ verb, target, victim })
    }
    return chosen
  }

  async #candidates(target: Target): Promise<readonly Victim[]> {
    const { patroni, redis, nodes } = this.#cluster
    switch (target) {
      case 'leader':
      case 'replica': {
        const leader = await patroni.leader()
        const isWanted = (one: typeof leader) => (one === leader) === (target === 'leader')
        const isFenced = target === 'leader' && forgetsLease
        return patroni.databases
          .filter(isWanted)
          .map((one) => ({ ...behindDoors(`pets${one.machine}`, one), isFenced }))
      }
      case 'redis master':
        return (await redis.masters()).map((one) => {
          const others = redis.servers.filter((other) => other !== one).flatMap(({ doors }) => doors)
          return {
            ...behindDoors(`redis ${one.address}`, one),
            cut: () => {
              for (const door of one.doors) door.cut()
              for (const door of others) door.cutFrom(one.source)
            },
            heal: () => {
              for (const door of one.doors) door.heal()
              for (const door of others) door.allow(one.source)
            },
          }
        })
      case 'node':
        return nodes.map((node) => behindDoors(node.via, node))
    }
  }
}

type HasDoors = Pick<Cluster['nodes'][number], 'program' | 'doors'>

function behindDoors(on: string, { program, doors }: HasDoors): Victim {
  return {
    on,
    program,
    cut: () => {
      for (const door of doors) door.cut()
    },
    slow: () => {
      for (const door of doors) door.slow(SLOW_MS)
    },
    heal: () => {
      for (const door of doors) door.heal()
    },
  }
}

function strike(verb: Verb, victim: Victim): void {
  if (verb === 'kill') victim.program.kill()
  else if (verb === 'stop') victim.program.freeze()
  else if (verb === 'cut') victim.cut()
  else victim.slow()
}

function lift(verb: Verb, victim: Victim): void {
  if (verb === 'kill') victim.program.start()
  else if (verb !== 'stop') victim.heal()
  else if (victim.isFenced) {
    victim.program.kill()
    victim.program.start()
  } else victim.program.thaw()
}
