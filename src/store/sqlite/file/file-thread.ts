/** A thread with its own connection (../work.ts). The first call starts it, and the next call after it died. */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Transferable } from 'node:worker_threads'
import { startThread } from '../../../common/program.ts'
import { StoreUnavailable } from '../../store.ts'
import { deserializeError, type SerializedError } from './errors.ts'
import type { ArgsOf, Call, ResultOf } from './rpc.ts'

export interface ThreadData {
  readonly name: 'writer' | 'operator' | 'scanner'
  readonly path: string
  /** The file that the service has opened (wal.ts). */
  readonly fileId: string | undefined
  readonly port: MessagePort
  /** Not 0 once the thread must stop before its next statement. */
  readonly stop: SharedArrayBuffer
}

export interface Question extends Call {
  readonly id: number
}

export type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: SerializedError })

export const CLOSE = 'close'

/** Throws StoreUnavailable if the thread must stop. */
export function assertGoing({ stop }: Pick<ThreadData, 'stop'>): void {
  if (Atomics.load(new Int32Array(stop), 0) !== 0) throw new StoreUnavailable('the service is stopping.')
}

interface ThreadHandle {
  once(event: 'error' | 'exit', listener: (cause: unknown) => void): unknown
  ref(): void
  unref(): void
}

export interface FileThreadOptions extends Omit<ThreadData, 'port' | 'stop'> {
  readonly stop?: SharedArrayBuffer
  readonly onAnswer: () => void
  readonly report: (trouble: string) => void
  readonly start?: ((data: ThreadData) => ThreadHandle) | undefined
}

export class FileThread<Side> {
  readonly #options: FileThreadOptions
  readonly #open = new Map<number, { take(value: unknown): void; reject(error: unknown): void }>()
  readonly #stop: SharedArrayBuffer
  #questions = 0
  #isClosing = false
  #thread: { readonly worker: ThreadHandle; readonly port: MessagePort } | undefined

  constructor(options: FileThreadOptions) {
    this.#options = options
    this.#stop = options.stop ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  }

  /** `read` converts the answer. Throws StoreUnavailable or the error of the thread. */
  ask<Target extends keyof Side & string, Method extends keyof Side[Target] & string, T>(
    target: Target,
    method: Method,
    args: ArgsOf<Side[Target][Method]>,
    read: (result: ResultOf<Side[Target][Method]>) => T,
  ): Promise<T> {
    return this.send({ target, method, args }, read as (value: unknown) => T)
  }

  send<T>(call: Call, read: (value: unknown) => T, transfer: Transferable[] = []): Promise<T> {
    this.#questions += 1
    const id = this.#questions
    return new Promise((resolve, reject) => {
      assertGoing({ stop: this.#stop })
      if (this.#isClosing) throw new StoreUnavailable('the service is stopping.')
      this.#thread ??= this.#start()
      this.#thread.port.postMessage({ ...call, id } satisfies Question, transfer)
      this.#thread.port.ref()
      this.#open.set(id, { take: (value) => resolve(read(value)), reject })
    })
  }

  /** Takes arrived answers without waiting for the event loop. */
  readAnswers(): void {
    const { port } = this.#thread ?? {}
    if (port === undefined) return
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.#take(next.message)
    }
  }

  stop(): void {
    Atomics.store(new Int32Array(this.#stop), 0, 1)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#thread === undefined) return
    const { worker, port } = this.#thread
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    port.postMessage(CLOSE)
    await ended
  }

  #start() {
    const { name, path, fileId, onAnswer, start = startWorker } = this.#options
    const stop = this.#stop
    const { port1: port, port2 } = new MessageChannel()
    const worker = start({ name, path, fileId, stop, port: port2 })
    let cause: unknown
    worker.once('error', (error) => {
      cause = error
    })
    worker.once('exit', (code) => {
      this.#noteEnd(worker, cause instanceof Error ? cause.message : String(cause ?? `exit code ${code}`))
    })
    worker.unref()
    port.on('message', (answer) => {
      onAnswer()
      this.#take(answer)
    })
    port.unref()
    return { worker, port }
  }

  #take({ id, ...answer }: Answer): void {
    const question = this.#open.get(id)
    this.#open.delete(id)
    if (this.#open.size === 0) this.#thread?.port.unref()
    if ('error' in answer) question?.reject(deserializeError(answer.error))
    else question?.take(answer.value)
  }

  #noteEnd(worker: ThreadHandle, why: string): void {
    if (this.#thread?.worker !== worker) return
    this.#options.onAnswer()
    this.readAnswers()
    this.#thread = undefined
    const { name, report } = this.#options
    if (!this.#isClosing) report(`The ${name} thread has ended (${why}) and is started again.`)
    const open = [...this.#open.values()]
    this.#open.clear()
    const sentence = `the ${name} thread has ended; it is not known whether this was done.`
    const error = new StoreUnavailable(sentence, { outcome: 'unknown' })
    for (const { reject } of open) reject(error)
  }
}

function startWorker(data: ThreadData): ThreadHandle {
  const cache = getCompileCacheDir()
  return startThread('src/store/sqlite/worker.ts', {
    name: data.name,
    workerData: data,
    transferList: [data.port],
    // With cached code, the thread does not load the type stripper, which takes 17 MB.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
  })
}
