/**
 * What a strain does, drawn from a seed alone: rounds of commands that run at once, beside creates over HTTP. A step
 * names animals, keys and files by fractions of what is known when it runs, so that the plan stays one when rounds are
 * left out of it.
 */
import { seededRandom } from '../support/random.ts'

const ACTS = {
  import: 5,
  'import with ids': 3,
  'dry run': 1,
  undo: 3,
  'set status': 4,
  edit: 3,
  remove: 3,
  'restore animal': 2,
  'create key': 2,
  'rotate key': 2,
  'revoke key': 3,
  'edit key': 2,
  'unban key': 1,
  backup: 3,
  verify: 1,
  export: 1,
  find: 2,
} as const
/** Of rounds in which no service runs, besides the others. */
const STOPPED_ACTS = { restore: 5, copy: 3 } as const

/** No plan has the first start of a service, which issues the first key; a power failure may follow it. */
export type Act = keyof typeof ACTS | keyof typeof STOPPED_ACTS | 'first key'

export interface Cut {
  readonly signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM'
  readonly afterMs: number
}

export interface Step {
  /** Names its files and what it adds; two steps of one number import the same file. */
  readonly n: number
  readonly act: Act
  /** From 0 to 1: which of the animals, keys, imports or backups it is about. */
  readonly picks: readonly number[]
  /** Of its file. */
  readonly rows: number
  readonly cut: Cut | undefined
  /** Run by another user than the one who has the files. */
  readonly isOther: boolean
}

export interface Round {
  /** They begin at once. */
  readonly steps: readonly Step[]
  /** How many animals are created over HTTP meanwhile. */
  readonly creates: number
  readonly serviceCut: Cut | undefined
  /** No service runs. */
  readonly isStopped: boolean
  /** So much is left of the disk meanwhile. */
  readonly leaveKiB: number | undefined
}

export interface Plan {
  readonly seed: number
  /** The service and the files are of a user without rights; the other user is root then. */
  readonly isNobodys: boolean
  readonly rounds: readonly Round[]
}

export interface Abilities {
  /** PostgreSQL has no files: no backups, no restores, no disk of its own. */
  readonly hasFile: boolean
  readonly mayFill: boolean
  readonly mayBeOthers: boolean
}

export function drawPlan(seed: number, rounds: number, { hasFile, mayFill, mayBeOthers }: Abilities): Plan {
  const random = seededRandom(seed)
  const chance = (p: number) => random() < p
  const upTo = (n: number) => Math.floor(random() * n)
  const draw = <T extends string>(weights: Readonly<Record<T, number>>): T => {
    const all = Object.entries<number>(weights).flatMap(([act, weight]) => Array<T>(weight).fill(act as T))
    return all[upTo(all.length)] as T
  }
  const isNobodys = mayBeOthers && hasFile && chance(0.4)
  let n = 0

  const step = (isStopped: boolean): Step => {
    n += 1
    const drawn = isStopped && chance(0.6) ? draw(STOPPED_ACTS) : draw(ACTS)
    const act = !hasFile && (drawn === 'backup' || drawn === 'restore' || drawn === 'verify') ? 'import' : drawn
    const isLong = chance(act === 'undo' ? 0.5 : act.startsWith('import') ? 0.15 : 0)
    return {
      n,
      act,
      picks: Array.from({ length: 1 + upTo(4) }, random),
      // Several transactions; a few of them; one.
      rows: isLong ? 12_000 + upTo(12_000) : chance(0.2) ? 500 + upTo(4_000) : 1 + upTo(6),
      // The program takes some 80 ms to start, and a long import some 500 ms more.
      cut: chance(isLong ? 0.7 : 0.3)
        ? { signal: chance(0.7) ? 'SIGKILL' : 'SIGINT', afterMs: 40 + upTo(isLong ? 900 : 260) }
        : undefined,
      isOther: mayBeOthers && hasFile && chance(0.1),
    }
  }

  const round = (): Round => {
    const isStopped = chance(0.2)
    const steps = Array.from({ length: 1 + upTo(3) }, () => step(isStopped))
    const [first] = steps
    if (first?.act === 'import' && chance(0.2)) steps.push({ ...first, cut: undefined })
    return {
      steps,
      creates: isStopped ? 0 : upTo(30),
      serviceCut:
        !isStopped && chance(0.25) ? { signal: chance(0.7) ? 'SIGKILL' : 'SIGTERM', afterMs: upTo(300) } : undefined,
      isStopped,
      leaveKiB: mayFill && chance(0.12) ? upTo(600) : undefined,
    }
  }
  return { seed, isNobodys, rounds: Array.from({ length: rounds }, round) }
}
