/**
 * The scripted service of one case: it notes what comes and says what to answer. How bytes travel is not its business
 * (server.ts, or a test).
 */
import type { JudgeClock, Reply, Script, Seen } from './case.ts'
import { MOST_REQUESTS, refusal } from './expect.ts'

export class Stage {
  readonly requests: Seen[] = []
  readonly requestsElsewhere: Seen[] = []
  readonly #clock: JudgeClock
  #script: Script = () => refusal(404)
  #tooMany = () => {}
  /** Resolves when the client has asked so often that it does not seem to give up. */
  readonly tooMany = new Promise<void>((resolve) => {
    this.#tooMany = resolve
  })

  constructor(clock: JudgeClock) {
    this.#clock = clock
  }

  script(script: Script): void {
    this.#script = script
  }

  /** Calls `send` when the answer is to leave. */
  receive(request: Omit<Seen, 'atMs'>, isElsewhere: boolean, send: (reply: Reply) => void): void {
    const seen: Seen = { ...request, atMs: this.#clock.now() }
    const list = isElsewhere ? this.requestsElsewhere : this.requests
    list.push(seen)
    const reply = isElsewhere ? refusal(404) : this.#script(seen, list.length)
    if (list.length > 2 * MOST_REQUESTS) this.#tooMany()
    const leave = (): void => {
      seen.answeredMs = this.#clock.now()
      send(reply)
    }
    if (reply.afterMs === undefined) leave()
    else this.#clock.after(reply.afterMs, leave)
  }
}
