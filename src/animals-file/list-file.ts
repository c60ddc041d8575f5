/** A list that a thread is reading, first for a look at the file, then for some rows at a time. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../common/clock.ts'
import { codeOf } from '../common/errors.ts'
import { startThread } from '../common/program.ts'
import { ANSWER_MS, HEAP_MB, YOUNG_MB } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { BadMapping } from './mapping.ts'
import type { Look } from './reader.ts'
import type { ThreadAnswer } from './reading-thread.ts'
import type { ReadRequest } from './request.ts'
import type { RowFacts } from './rows.ts'

const TOO_MUCH = 'The file takes too much memory or time to read. Divide it, or export it as CSV.'

export class ListFile {
  readonly #thread: Worker
  readonly #clock: Pick<Clock, 'after' | 'cancel'>
  readonly #ended: Promise<[]> // also for what is asked later
  facts: RowFacts | undefined

  constructor(request: ReadRequest, clock: Pick<Clock, 'after' | 'cancel'>) {
    this.#clock = clock
    this.#thread = startThread('src/animals-file/reading-thread.ts', {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    this.#thread.on('error', () => {}) // each question below has its own listener
    this.#ended = new Promise((resolve) => this.#thread.once('exit', () => resolve([])))
  }

  async look(): Promise<Look> {
    const { look } = await this.#ask()
    if (look === undefined) throw new Error('the thread answered another question')
    return look
  }

  /** The rows after a look, without invalid ones. Throws UnreadableFile. */
  async *batches() {
    while (this.facts === undefined) {
      const { rows = [], facts } = await this.#ask()
      if (rows.length > 0) yield rows
      this.facts = facts
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }

  async #ask(): Promise<ThreadAnswer> {
    const answered = new AbortController()
    const { signal } = answered
    const timer = this.#clock.after(ANSWER_MS, () => void this.close())
    this.#thread.postMessage(undefined)
    try {
      const [answer]: ThreadAnswer[] = await Promise.race([once(this.#thread, 'message', { signal }), this.#ended])
      if (answer === undefined) throw new UnreadableFile(TOO_MUCH)
      const { kind, message = '' } = answer
      if (kind === undefined) return answer
      throw kind === 'BadMapping' ? new BadMapping(message) : new UnreadableFile(message)
    } catch (error) {
      throw codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? new UnreadableFile(TOO_MUCH) : error
    } finally {
      answered.abort()
      this.#clock.cancel(timer)
    }
  }
}
