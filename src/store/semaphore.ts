/** A weighted semaphore with bounded waits: it hands out connections or memory in the order of the requests. */

import type { Clock } from '../common/clock.ts'

interface Waiting {
  readonly amount: number
  readonly grant: () => void
}

export class Semaphore {
  readonly #capacity: number
  readonly #clock: Clock
  #free: number
  readonly #waiting = new Set<Waiting>()

  constructor(capacity: number, clock: Clock) {
    this.#clock = clock
    this.#capacity = capacity
    this.#free = capacity
  }

  /**
   * Resolves to a function that returns `amount`, or to undefined if it was not available within `withinMs`. More than
   * the whole capacity counts as all of it.
   */
  acquire(amount: number, withinMs: number): Promise<(() => void) | undefined> {
    const taken = Math.min(amount, this.#capacity)
    return new Promise((resolve) => {
      const grant = () => {
        this.#free -= taken
        resolve(() => {
          this.#free += taken
          this.#grantNext()
        })
      }
      if (this.#waiting.size === 0 && this.#free >= taken) {
        grant()
        return
      }
      const timer = this.#clock.after(withinMs, () => {
        this.#waiting.delete(waiting)
        resolve(undefined)
        this.#grantNext()
      })
      const waiting: Waiting = {
        amount: taken,
        grant: () => {
          this.#clock.cancel(timer)
          grant()
        },
      }
      this.#waiting.add(waiting)
    })
  }

  #grantNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#free < waiting.amount) return
      this.#waiting.delete(waiting)
      waiting.grant()
    }
  }
}
