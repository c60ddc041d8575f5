/**
 * The service's writer: hands every change of the file to a thread (writer-worker.ts), which alone waits for the disk.
 * Changes requested while a batch is being written leave with the next one, in one commit. A thread that dies is
 * restarted with the next batch.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import { startThread } from '../../common/program.ts'
import { petJson } from '../../contract/json.ts'
import type { NewPet } from '../../contract/schemas.ts'
import { type PetText, StoreUnavailable } from '../store.ts'
import { flatten } from './flat-pets.ts'
import type { Operations } from './operations.ts'
import type { OperationName, Writer } from './writer.ts'
import { type Answer, type Batch, CLOSE, type SentError, type Trouble } from './writer-messages.ts'

/**
 * A change waits for others to share its commit as long as each turn of the event loop brings something new, and at most this
 * many ms: where nobody else asks for anything it leaves at once.
 */
const GATHER_MS = 10
const CREATES_PER_BATCH = 1_000
/** In UTF-16 units; bounds the memory of the thread. */
const TEXT_PER_BATCH = 4 << 20
/** A change that is still waiting after this time is answered 503 (O23). */
const PATIENCE_MS = 2_000
const RETRY_S = 1

interface Pending {
  readonly dueMs: number
  reject(error: unknown): void
}

interface PendingCreate extends Pending {
  readonly pet: NewPet
  resolve(created: PetText): void
}

interface PendingJob extends Pending {
  readonly name: OperationName
  readonly args: readonly unknown[]
  resolve(value: unknown): void
}

interface PendingBatch {
  readonly creates: readonly PendingCreate[]
  readonly jobs: readonly PendingJob[]
}

export interface WriterThreadOptions {
  readonly path: string
  /** Called when the answer to a batch arrives as an event, before any caller is told. */
  readonly onAnswer: () => void
  /** Called with every commit that consists of new animals only. */
  readonly onCreated: (from: bigint, to: bigint, created: readonly { pet: NewPet; text: PetText }[]) => void
  readonly report: (trouble: string) => void
}

export class WriterThread implements Writer {
  readonly commits = { count: 0, rows: 0 }
  readonly #options: WriterThreadOptions
  #creates: PendingCreate[] = []
  #jobs: PendingJob[] = []
  #gathering = false
  #written: PendingBatch | undefined
  #thread: { readonly worker: Worker; readonly port: MessagePort } | undefined
  #impatience: NodeJS.Timeout | undefined
  #whenIdle: () => void = () => {}

  constructor(options: WriterThreadOptions) {
    this.#options = options
  }

  create(pet: NewPet): Promise<PetText> {
    return new Promise((resolve, reject) => {
      this.#creates.push({ pet, resolve, reject, dueMs: performance.now() + PATIENCE_MS })
      this.#gather()
    })
  }

  run<Name extends OperationName>(
    name: Name,
    ...args: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>> {
    return new Promise((resolve, reject) => {
      const take = (value: unknown) => resolve(value as ReturnType<Operations[Name]>)
      this.#jobs.push({ name, args, resolve: take, reject, dueMs: performance.now() + PATIENCE_MS })
      this.#gather()
    })
  }

  /** Processes answers that have already arrived, without waiting for the event loop to deliver them. */
  readAnswers(): void {
    const { port } = this.#thread ?? {}
    if (port === undefined) return
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.#take(next.message)
    }
  }

  async close(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    clearTimeout(this.#impatience)
    const thread = this.#thread
    if (thread === undefined) return
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
    thread.worker.ref()
    thread.port.postMessage(CLOSE)
    this.#thread = undefined
    await ended
  }

  #isIdle(): boolean {
    return this.#written === undefined && this.#creates.length === 0 && this.#jobs.length === 0
  }

  #gather(): void {
    this.#impatience ??= setTimeout(() => this.#refuseOverdue(), PATIENCE_MS).unref()
    if (this.#gathering || this.#written !== undefined) return
    this.#gathering = true
    const untilMs = performance.now() + GATHER_MS
    const wait = (before: number | undefined) => {
      setImmediate(() => {
        const { events } = performance.nodeTiming.uvMetricsInfo
        if (events !== before && performance.now() < untilMs) wait(events)
        else this.#send()
      })
    }
    wait(undefined)
  }

  #send(): void {
    this.#gathering = false
    if (this.#isIdle()) {
      this.#whenIdle()
      return
    }
    const batch = this.#nextBatch()
    this.#written = batch
    try {
      this.#thread ??= this.#start()
      const dueMs = earliest([batch.creates[0], batch.jobs[0]])
      const message: Batch = {
        creates: flatten(batch.creates.map(({ pet }) => pet)),
        jobs: batch.jobs.map(({ name, args }) => [name, args]),
        patienceMs: dueMs - performance.now(),
      }
      this.#thread.port.postMessage(message)
      this.#thread.port.ref()
    } catch (error) {
      reject(batch, error)
      this.#goOn()
    }
  }

  #nextBatch(): PendingBatch {
    let count = 0
    let text = 0
    for (const { pet } of this.#creates) {
      text += pet.name.length
      if (count === CREATES_PER_BATCH || (count > 0 && text > TEXT_PER_BATCH)) break
      count += 1
    }
    return { creates: this.#creates.splice(0, count), jobs: this.#jobs.splice(0) }
  }

  #start() {
    const { port1: port, port2 } = new MessageChannel()
    const cache = getCompileCacheDir()
    const worker = startThread('src/store/sqlite/writer-worker', {
      name: 'writer',
      workerData: { path: this.#options.path, port: port2 },
      transferList: [port2],
      // With cached compiled code the thread does not load the type stripper, which takes 17 MB.
      env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
    })
    let cause: unknown
    worker.once('error', (error) => {
      cause = error
    })
    worker.once('exit', (code) => this.#noteEnd(worker, cause ?? `exit code ${code}`))
    worker.unref()
    port.on('message', (message) => {
      this.#options.onAnswer()
      this.#take(message)
    })
    port.unref()
    return { worker, port }
  }

  #noteEnd(worker: Worker, cause: unknown): void {
    if (this.#thread?.worker !== worker) return
    this.#options.onAnswer()
    this.readAnswers()
    this.#thread = undefined
    const why = cause instanceof Error ? cause.message : String(cause)
    this.#options.report(`The thread that writes the database has ended (${why}) and is started again.`)
    if (this.#written === undefined) return
    reject(
      this.#written,
      new StoreUnavailable('The thread that writes has ended; it is not known whether this was done.'),
    )
    this.#goOn()
  }

  #take(message: Answer | Trouble): void {
    if (message.kind === 'trouble') {
      this.#options.report(message.trouble ?? 'The write-ahead log is copied into the database again.')
      return
    }
    const batch = this.#written
    if (batch === undefined) return
    if (message.kind === 'busy') this.#putBack(batch)
    else if (message.kind === 'failed') reject(batch, toError(message.error))
    else this.#resolve(batch, message)
    this.#goOn()
  }

  #resolve(
    { creates, jobs }: PendingBatch,
    { from, to, firstId, results }: Extract<Answer, { kind: 'committed' }>,
  ): void {
    const created = creates.map(({ pet }, index) => {
      const id = firstId + BigInt(index)
      return { pet, text: { id, json: petJson(id, pet.name, pet.categoryId, pet.status) } }
    })
    if (created.length > 0) {
      this.commits.count += 1
      this.commits.rows += created.length
      if (to - from === BigInt(created.length)) this.#options.onCreated(from, to, created)
    }
    for (const [index, { text }] of created.entries()) creates[index]?.resolve(text)
    for (const [index, job] of jobs.entries()) {
      const result = results[index]
      if (result === undefined || 'error' in result) job.reject(toError(result?.error))
      else job.resolve(result.value)
    }
  }

  /** Requests that are not overdue are tried again with the next batch. */
  #putBack({ creates, jobs }: PendingBatch): void {
    this.#creates = [...creates, ...this.#creates]
    this.#jobs = [...jobs, ...this.#jobs]
    this.#refuseOverdue()
  }

  #goOn(): void {
    this.#written = undefined
    this.#thread?.port.unref()
    if (this.#isIdle()) this.#whenIdle()
    else this.#gather()
  }

  #refuseOverdue(): void {
    const nowMs = performance.now()
    const refused = [...this.#creates, ...this.#jobs].filter(({ dueMs }) => dueMs <= nowMs)
    this.#creates = this.#creates.filter(({ dueMs }) => dueMs > nowMs)
    this.#jobs = this.#jobs.filter(({ dueMs }) => dueMs > nowMs)
    const late = new StoreUnavailable('The database was busy for too long; nothing was done.', { retryAfterS: RETRY_S })
    for (const { reject } of refused) reject(late)
    clearTimeout(this.#impatience)
    const nextMs = earliest([this.#creates[0], this.#jobs[0]])
    this.#impatience = Number.isFinite(nextMs)
      ? setTimeout(() => this.#refuseOverdue(), nextMs - nowMs).unref()
      : undefined
  }
}

/** Of the first that wait, which have waited longest. */
function earliest(first: readonly (Pending | undefined)[]): number {
  return Math.min(...first.map((pending) => pending?.dueMs ?? Infinity))
}

function reject({ creates, jobs }: PendingBatch, error: unknown): void {
  for (const pending of [...creates, ...jobs]) pending.reject(error)
}

function toError(sent: SentError | undefined): Error {
  const message = sent?.message ?? 'the thread that writes has not answered'
  const { retryAfterS } = sent ?? {}
  return retryAfterS === undefined ? new Error(message) : new StoreUnavailable(message, { retryAfterS })
}
