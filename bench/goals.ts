/** The goals of this service, as ratios within one run. Printed next to the measurements; never a test. */

/** The minimum ratio to the rate of the other target, by engine and workload. */
export const RATE_GOALS: Record<string, Record<string, Record<string, number>>> = {
  sqlite: {
    list20: { raw: 0.9, peer: 2.6 },
    list100: { raw: 0.8, peer: 4.5 },
    get: { raw: 0.9, peer: 1.2, elysia: 1.3 },
    create: { peer: 10, elysia: 3 },
    mix: { raw: 0.7, peer: 2.4 },
    random: { raw: 0.75, peer: 3 },
  },
  postgres: { list20: { peer: 3 }, get: { peer: 2 }, create: { peer: 2.5 } },
}
/** At most this, and at most what the peer takes. */
export const START_UP_GOAL_MS = 130
/** The same of the one file of a release. */
export const EXECUTABLE_START_UP_GOAL_MS = 150
/** Cost at the largest size over the cost at the smallest, at most. */
export const SCALE_GOAL = 1.2

/** Memory after a run of list20, at most. */
export const RESIDENT_GOAL_MIB = 110
/** mix over `raw` where both may use every core, at least. */
export const UNPINNED_GOAL = 0.8
/**
 * On a disk slowed by 10 ms: mix over mix as it is, and create over the peer's, at least; list20's p99 within the mix
 * over that alone, at most.
 */
export const SLOW_DISK_GOALS = { mix: 0.6, createOverPeer: 30, listP99: 2 }
/** list20 over the peer's with the database 20 ms away, at least. */
export const FAR_GOAL = 10
/**
 * When the office can be used, in seconds, at most: on the first visit and on the second, by the name of the network.
 */
export const OFFICE_GOALS_S: Readonly<Record<string, readonly [number, number]>> = {
  'slow 4G': [2, 0.5],
  'slow 3G': [3, 1],
}
/** The part of its rate that the mix keeps while a million animals are imported, at least. */
export const IMPORT_BESIDE_GOAL = 0.6

export function atLeast(measured: number, goal: number | undefined): string {
  return goal === undefined ? '' : `≥ ${goal}: ${measured >= goal ? 'met' : '**not met**'}`
}

export function atMost(measured: number, goal: number): string {
  return `≤ ${goal}: ${measured <= goal ? 'met' : '**not met**'}`
}
