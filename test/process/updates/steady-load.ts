/** Clients that create animals steadily, on fresh and on kept connections, and repeat nothing. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../support/http.ts'

const EVERY_MS = 20
/** So many may wait on a machine that is busy. */
const MOST_WAITING = 1_000
const KEPT_PAUSE_MS = 100

interface LoadOptions {
  readonly port: number
  readonly key: string
  /** Creates on fresh connections in a second. */
  readonly fresh: number
  /** Connections that are kept, with one create after the other on each. */
  readonly kept: number
}

export class SteadyLoad {
  readonly acknowledged = new Map<number, string>()
  /** What became of the creates that were not acknowledged. */
  readonly wrong: string[] = []
  readonly #options: LoadOptions
  readonly #running: Promise<void>[]
  #waiting = 0
  #count = 0
  #isEnding = false

  constructor(options: LoadOptions) {
    this.#options = options
    this.#running = [this.#fresh(), ...Array.from({ length: options.kept }, () => this.#kept())]
  }

  /** Resolves when everything that was asked is answered, or has failed. */
  async end(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#running)
  }

  async #fresh(): Promise<void> {
    const each: Promise<void>[] = []
    while (!this.#isEnding) {
      for (let n = 0; n < (this.#options.fresh * EVERY_MS) / 1_000 && this.#waiting < MOST_WAITING; n += 1) {
        each.push(this.#create())
      }
      await sleep(EVERY_MS)
    }
    await Promise.all(each)
  }

  async #kept(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!this.#isEnding) {
      await this.#create(agent)
      await sleep(KEPT_PAUSE_MS)
    }
    agent.destroy()
  }

  async #create(agent?: Agent): Promise<void> {
    this.#waiting += 1
    this.#count += 1
    const name = `n${this.#count}`
    try {
      const { port, key } = this.#options
      const asked = { method: 'POST', key, body: JSON.stringify({ name, categoryId: 1 }) }
      const { status, body } = await call(port, agent === undefined ? asked : { ...asked, agent })
      if (status === 201) this.acknowledged.set((JSON.parse(body) as { readonly id: number }).id, name)
      else this.wrong.push(`${status} ${body}`)
    } catch (error) {
      this.wrong.push(`${agent === undefined ? 'fresh' : 'kept'}: ${(error as Error).message}`)
    }
    this.#waiting -= 1
  }
}
