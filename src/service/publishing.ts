/** Keeps the public page up to date (`--publish`), by a thread (publishing-thread.ts). */
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'
import { messageOf, startThread } from '../common/program.ts'
import { shelterZone } from '../domain/zone.ts'
import type { PublishingStatus } from '../operator/prometheus.ts'
import { takePageConf } from '../public-page/page-conf.ts'
import type { Store } from '../store/store.ts'
import { dayIn } from '../store/waits.ts'
import type { PublishingMessage } from './publishing-thread.ts'
import { OwnWork } from './service-log.ts'

export const CHECK_EVERY_MS = 10_000
/** Enough for the largest page. Without a limit, V8 would use much of the machine's memory. */
const HEAP_MB = 256
/** Time to finish the page in progress. */
const CLOSE_MS = 1_000

interface PublishingOptions {
  readonly store: Pick<Store, 'changeVersion' | 'words'>
  readonly database: string
  readonly folder: string
  readonly log: Logger
  readonly clock: Clock
  readonly signal: AbortSignal
}

export class Publishing extends OwnWork implements PublishingStatus {
  lastSuccessMs: number | undefined
  readonly #options: PublishingOptions
  readonly #timer: Timer
  /** The written state: change version of the animals, day, and the shelter's settings and words. */
  #pageState: string | undefined
  #thread: Worker | undefined
  #looking: Promise<void> | undefined

  constructor(options: PublishingOptions) {
    super(options.log, 'the public page was not written', 'it succeeds')
    this.#options = options
    const look = () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
    }
    this.#timer = options.clock.every(CHECK_EVERY_MS, look).unref()
    look()
  }

  get folder(): string {
    return this.#options.folder
  }

  async #look(): Promise<void> {
    try {
      const { store, folder, clock, log, signal } = this.#options
      const takenOver = await takePageConf(store, folder, { who: 'service', atMs: clock.now() })
      if (takenOver !== undefined) log.info({ folder }, takenOver)
      const texts = JSON.stringify([await store.words.shelter(), await store.words.ofStatuses()])
      const today = dayIn(await shelterZone(store), clock.now())
      const state = `${await store.changeVersion()} ${today} ${texts}`
      if (state === this.#pageState || signal.aborted) return
      const message = await this.#write()
      if (message === undefined) return
      if (message.kind === 'failed') {
        this.fail(message.isExplained ? new ExplainedError(message.message) : new Error(message.message))
        return
      }
      this.#pageState = state
      this.#tell(message)
    } catch (error) {
      if (!this.#options.signal.aborted) this.fail(error)
    }
  }

  /** Undefined if the thread ended without a message. Throws what the thread throws. */
  #write(): Promise<PublishingMessage | undefined> {
    const { database, folder } = this.#options
    const thread = startThread('src/service/publishing-thread.ts', {
      name: 'publishing',
      workerData: { database, folder },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    this.#thread = thread
    thread.unref()
    return messageOf(thread) as Promise<PublishingMessage | undefined>
  }

  #tell({ animals, files }: Extract<PublishingMessage, { kind: 'published' }>): void {
    const { clock, folder } = this.#options
    const level = this.lastSuccessMs === undefined ? 'info' : 'debug'
    if (this.succeed() > 0) this.log.info({ folder, animals }, 'the public page is written again')
    else this.log[level]({ folder, animals, written: files.join(', ') }, 'the public page is up to date')
    this.lastSuccessMs = clock.now()
  }

  async close(): Promise<void> {
    const { clock } = this.#options
    clock.cancel(this.#timer)
    this.#thread?.ref()
    const timer = clock.after(CLOSE_MS, () => void this.#thread?.terminate())
    await this.#looking
    clock.cancel(timer)
  }
}
