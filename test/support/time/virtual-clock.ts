/** A clock whose time passes only when a test says so. */
import type { Clock, Timer } from '../../../src/common/clock.ts'

interface Pending extends Timer {
  dueMs: number
  readonly task: () => void
  readonly everyMs: number | undefined
}

export class VirtualClock implements Clock {
  /** The time of day. Setting it lets no time pass for timers. */
  nowMs: number
  #passedMs = 0
  readonly #pending = new Set<Pending>()

  constructor(nowMs = Date.UTC(2026, 10, 21, 12, 0, 10)) {
    this.nowMs = nowMs
  }

  readonly now = (): number => this.nowMs
  readonly monotonic = (): number => this.#passedMs
  readonly after = (ms: number, task: () => void): Timer => this.#set(ms, task, undefined)
  readonly every = (ms: number, task: () => void): Timer => this.#set(ms, task, ms)
  readonly cancel = (timer: Timer | undefined): void => {
    this.#pending.delete(timer as Pending)
  }

  get timers(): number {
    return this.#pending.size
  }

  /** Calls what falls due, each at its time. */
  pass(ms: number): void {
    const endMs = this.#passedMs + ms
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#goTo(next.dueMs)
      this.#call(next)
    }
    this.#goTo(endMs)
  }

  /** As for a process that was stopped in the meantime: what has fallen due is called once, late. */
  leap(ms: number): void {
    this.#goTo(this.#passedMs + ms)
    const due = [...this.#pending].filter(({ dueMs }) => dueMs <= this.#passedMs)
    for (const one of due.sort((a, b) => a.dueMs - b.dueMs)) {
      if (!this.#pending.has(one)) continue
      one.dueMs = this.#passedMs
      this.#call(one)
    }
  }

  #set(ms: number, task: () => void, everyMs: number | undefined): Pending {
    // No timer of the system calls immediately.
    const timer: Pending = { dueMs: this.#passedMs + Math.max(ms, 1), task, everyMs, unref: () => timer }
    this.#pending.add(timer)
    return timer
  }

  #next(untilMs: number): Pending | undefined {
    let next: Pending | undefined
    for (const one of this.#pending) if (one.dueMs <= untilMs && one.dueMs < (next?.dueMs ?? Infinity)) next = one
    return next
  }

  #call(timer: Pending): void {
    if (timer.everyMs === undefined) this.#pending.delete(timer)
    else timer.dueMs += Math.max(timer.everyMs, 1)
    timer.task()
  }

  #goTo(passedMs: number): void {
    this.nowMs += passedMs - this.#passedMs
    this.#passedMs = passedMs
  }
}
