/** A list that is being read: its thread is asked for a look at the file, and for its rows, some at a time. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../common/clock.ts'
import { codeOf } from '../common/errors.ts'
import { startThread } from '../common/program.ts'
import type { FileRow } from '../store/staging.ts'
import { ANSWER_MS, HEAP_MB } from './bounds.ts'
import { BadRows, UnreadableFile } from './file-errors.ts'
import { BadMapping } from './mapping.ts'
import type { Look } from './reader.ts'
import type { ThreadAnswer } from './reading-thread.ts'
import type { ReadRequest } from './request.ts'
import type { RowFacts } from './rows.ts'

const TOO_MUCH = 'The file takes more memory or time to read than there is for it. Divide it, or export it as CSV.'

export class ListFile {
  #isSync: boolean
  readonly #thread: Worker
  readonly #clock: Pick<Clock, 'after' | 'cancel'>
  /** Undefined until all rows have been read. */
  facts: RowFacts | undefined

  constructor(request: ReadRequest, clock: Pick<Clock, 'after' | 'cancel'>) {
    this.#clock = clock
    this.#isSync = request.isSync
    this.#thread = startThread('src/animals-file/reading-thread.ts', {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    this.#thread.on('error', () => {}) // each question below has its own listener
  }

  /** Throws UnreadableFile or BadMapping. */
  async look(): Promise<Look> {
    const answer = await this.#ask('look')
    if ('look' in answer) {
      this.#isSync = answer.look.isSync
      return answer.look
    }
    throw new Error('the thread answered another question')
  }

  /**
   * The rows for the store, once it is clear how they are read. Reads the whole file even after an invalid row, so that
   * all problems are reported in one run. Throws UnreadableFile, and BadRows at the end unless invalid rows are skipped.
   */
  async *batches(skipInvalid: boolean): AsyncIterable<readonly FileRow[]> {
    for (let ask: 'begin' | 'next' = 'begin'; ; ask = 'next') {
      const answer = await this.#ask(ask)
      if (!('rows' in answer)) throw new Error('the thread answered another question')
      if (answer.rows.length > 0) yield answer.rows
      this.facts = answer.facts
      if (answer.facts === undefined) continue
      const { badRows, openWords } = answer.facts
      if (badRows > 0 && openWords.length === 0 && !skipInvalid) throw new BadRows(answer.facts, this.#isSync)
      return
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }

  async #ask(question: 'look' | 'begin' | 'next'): Promise<ThreadAnswer> {
    const late = new AbortController()
    const { signal } = late
    const timer = this.#clock.after(ANSWER_MS, () => late.abort())
    this.#thread.postMessage(question)
    const answered: Promise<ThreadAnswer> = once(this.#thread, 'message', { signal }).then(([answer]) => answer)
    const ended = once(this.#thread, 'exit', { signal }).then(() => {
      throw new UnreadableFile(TOO_MUCH)
    })
    ended.catch(() => {})
    const answer = await Promise.race([answered, ended])
      .catch(async (error: unknown) => {
        await this.close()
        throw codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' || signal.aborted ? new UnreadableFile(TOO_MUCH) : error
      })
      .finally(() => this.#clock.cancel(timer))
    if (!('kind' in answer)) return answer
    throw answer.kind === 'BadMapping' ? new BadMapping(answer.message) : new UnreadableFile(answer.message)
  }
}
