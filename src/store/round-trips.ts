/**
 * Lets callers that come together share round trips. Everyone who asks in one turn of the event loop, or while as many
 * round trips as allowed are under way, leaves with the next one. A round trip begins after all of its callers have
 * asked, so each answer is as fresh as if it had been asked for alone; under load the groups grow by themselves.
 */

interface Waiting<Q, A> {
  readonly asked: Q
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

export class RoundTrips<Q, A> {
  readonly #run: (asked: readonly Q[]) => Promise<readonly A[]>
  readonly #inFlight: number
  readonly #groupSize: number
  #waiting: Waiting<Q, A>[] = []
  #underWay = 0
  #leaving = false

  /** `run` answers a group in its order, or fails for all of it. At most `inFlight` run at a time. */
  constructor(run: (asked: readonly Q[]) => Promise<readonly A[]>, limits: { inFlight: number; groupSize: number }) {
    this.#run = run
    this.#inFlight = limits.inFlight
    this.#groupSize = limits.groupSize
  }

  ask(asked: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject })
      if (this.#leaving || this.#underWay >= this.#inFlight) return
      this.#leaving = true
      setImmediate(() => {
        this.#leaving = false
        this.#depart()
      })
    })
  }

  #depart(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#inFlight) {
      this.#underWay += 1
      void this.#travel(this.#waiting.splice(0, this.#groupSize))
    }
  }

  async #travel(group: readonly Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await this.#run(group.map(({ asked }) => asked))
      if (answers.length !== group.length) throw new Error(`${group.length} asked, ${answers.length} answered`)
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as A)
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      this.#underWay -= 1
      this.#depart()
    }
  }
}
