/** The clock as a parameter, and functions that wait for a time or a signal. */
import type { PlatformSignal } from './platform.ts'

/** A clock with timers. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** A monotonic clock, in milliseconds since any instant, used for all waits. Default: `now`. */
  elapsed?(): number
  /** Runs `task` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

/** The longest delay of a platform timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Monotonic, so that setting the clock changes no wait. */
export function elapsedMs(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

/** Rejects with the signal's reason if the signal is aborted. `begin` returns what ends the waiting. */
export function unlessAborted<T>(
  signal: PlatformSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const leave = () => {
      end()
      forget()
    }
    const fail = (error: unknown) => {
      leave()
      reject(error)
    }
    const end = begin((value) => {
      leave()
      resolve(value)
    }, fail)
    const forget = onAbort(signal, () => fail(signal?.reason))
  })
}

class Tasks extends Set<() => void> {
  handleEvent(): void {
    for (const task of [...this]) task()
  }
}

/** One listener per signal: platforms report many listeners on one signal as a leak. */
const tasksOf = new WeakMap<PlatformSignal, Tasks>()

/** Runs `task` if the signal is aborted later. The returned function removes the task. */
export function onAbort(signal: PlatformSignal | undefined, task: () => void): () => void {
  if (!signal) return () => {}
  const tasks = tasksOf.get(signal) ?? new Tasks()
  tasksOf.set(signal, tasks.add(task))
  signal.addEventListener('abort', tasks)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) signal.removeEventListener('abort', tasks)
  }
}
