/**
 * The public page of the service (`--publish`): runs the thread that keeps it (publishing-thread.ts), and starts it
 * again if it ends. A failure is told once in the log for as long as it goes on, and in the metrics.
 */

import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { type Clock, MINUTE_MS, type Timer } from '../common/clock.ts'
import { startThread } from '../common/program.ts'
import type { PublishingStatus } from '../operator/prometheus.ts'
import type { PagePlan } from '../public-page/publisher.ts'
import type { PublishingMessage } from './publishing-thread.ts'

/** For a thread that ends by itself, as for want of memory. */
const RESTART_MS = MINUTE_MS
/** Enough for the largest page, and a bound for what an empty machine would let grow. */
const HEAP_MB = 256
/** What it is just doing, it may end. */
const CLOSE_MS = 1_000

export class Publishing implements PublishingStatus {
  failures = 0
  failure: string | undefined
  lastSuccessMs: number | undefined
  readonly #database: string
  readonly #plan: PagePlan
  readonly #log: Logger
  readonly #clock: Clock
  #thread: Worker | undefined
  #restart: Timer | undefined
  #isClosing = false

  constructor(database: string, plan: PagePlan, log: Logger, clock: Clock) {
    this.#database = database
    this.#plan = plan
    this.#log = log
    this.#clock = clock
    this.#start()
  }

  #start(): void {
    const workerData = { database: this.#database, plan: this.#plan }
    const thread = startThread('src/service/publishing-thread', {
      name: 'publishing',
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    this.#thread = thread
    thread.unref()
    thread.on('message', (message: PublishingMessage) => this.#take(message))
    thread.on('error', (error) => this.#fail(String(error), error))
    thread.once('exit', () => {
      this.#thread = undefined
      if (!this.#isClosing) this.#restart = this.#clock.after(RESTART_MS, () => this.#start()).unref()
    })
  }

  #take(message: PublishingMessage): void {
    if (message.kind === 'failed') {
      this.#fail(message.message, message.isExplained ? undefined : message)
      return
    }
    const { animals, written } = message
    const isFirst = this.lastSuccessMs === undefined
    const { folder } = this.#plan
    if (this.failure !== undefined) this.#log.info({ folder, animals }, 'the public page is written again')
    else this.#log[isFirst ? 'info' : 'debug']({ folder, animals, written }, 'the public page is as the animals are')
    this.failure = undefined
    this.lastSuccessMs = this.#clock.now()
  }

  #fail(failure: string, fault: unknown): void {
    this.failures += 1
    if (failure === this.failure) return
    this.failure = failure
    if (fault !== undefined) this.#log.error({ err: fault }, 'no public page is written')
    else {
      const reason = failure.replace(/\.$/, '')
      this.#log.error(`no public page is written: ${reason}; it is told when it is written again`)
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#clock.cancel(this.#restart)
    const thread = this.#thread
    if (thread === undefined) return
    const exited = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('end')
    const patience = this.#clock.after(CLOSE_MS, () => void thread.terminate())
    await exited
    this.#clock.cancel(patience)
  }
}
