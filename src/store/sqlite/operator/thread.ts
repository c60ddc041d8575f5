/**
 * The operator's side of the service: a thread with a connection of its own (worker.ts), so that neither what people
 * read nor what they write holds the event loop. It is started with the first call, and again when it has died.
 */
import type { MessagePort } from 'node:worker_threads'
import type { OperatorSide } from '../../operator-side.ts'
import { StoreUnavailable } from '../../store.ts'
import { connect, end, type Started, startOnFile, type Thread } from '../file/thread.ts'
import { deserializeError, type SerializedError } from '../file/thread-errors.ts'

export interface OperatorData {
  readonly path: string
  /** The file that the service has opened at the path (../file/wal.ts). */
  readonly fileId: string | undefined
  readonly port: MessagePort
}

/** A call of a method of a subject (../../operator-side.ts). The first argument of an import stays with the service. */
export interface Call {
  readonly kind: 'call'
  readonly id: number
  readonly subject: string
  readonly method: string
  readonly args: readonly unknown[]
  readonly isOfBatches: boolean
}

/** The next batch of an import; at the end its options again, which the reading of the file has completed. */
export type Next = { readonly kind: 'next'; readonly id: number } & (
  | { readonly batch: readonly unknown[] }
  | { readonly end: unknown }
  | { readonly failed: true }
)

export type ToThread = Call | Next | { readonly kind: 'close' }

export type ToService =
  | { readonly kind: 'wanted'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SerializedError }

interface OperatorThreadOptions extends Omit<OperatorData, 'port'> {
  /** Called when an answer has arrived, before its caller is told. */
  readonly onAnswer: () => void
  readonly report: (trouble: string) => void
}

interface Pending {
  resolve(value: unknown): void
  reject(error: unknown): void
  /** Of an import: where its batches come from, and its options. */
  readonly batches: AsyncIterator<readonly unknown[]> | undefined
  readonly options: unknown
  /** What the batches failed with. */
  failure?: { readonly error: unknown }
}

/** The operator's side in a thread, which a service has. */
export function operatorInThread(options: OperatorThreadOptions) {
  const thread = new OperatorThread(options)
  const side = Object.fromEntries(SUBJECTS.map((subject) => [subject, thread.subject(subject)]))
  return { side: side as unknown as OperatorSide, close: () => thread.close() }
}

const SUBJECTS: readonly (keyof OperatorSide)[] = [
  ...(['archive', 'categories', 'imports', 'keys', 'ledger', 'origins'] as const),
  ...(['people', 'records', 'reports', 'sync', 'words'] as const),
]

class OperatorThread {
  readonly #options: OperatorThreadOptions
  readonly #pending = new Map<number, Pending>()
  #calls = 0
  #thread: Thread | undefined

  constructor(options: OperatorThreadOptions) {
    this.#options = options
  }

  /** The methods of a subject (../../operator-side.ts), each of which is a call. */
  subject(subject: string): object {
    return new Proxy(
      {},
      {
        get: (own, method) =>
          // A promise looks whether what it resolves to has a `then`.
          method === 'then'
            ? undefined
            : (Reflect.get(own, method) ?? ((...args: unknown[]) => this.#call(subject, String(method), args))),
      },
    )
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    await end(thread, { kind: 'close' } satisfies ToThread)
    this.#thread = undefined
  }

  #call(subject: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#calls += 1
      const id = this.#calls
      const [first, ...rest] = args
      const isOfBatches = typeof first === 'object' && first !== null && Symbol.asyncIterator in first
      const batches = isOfBatches ? (first as AsyncIterable<readonly unknown[]>)[Symbol.asyncIterator]() : undefined
      try {
        this.#thread ??= this.#start()
        this.#say({ kind: 'call', id, subject, method, args: isOfBatches ? rest : args, isOfBatches })
        this.#pending.set(id, { resolve, reject, batches, options: rest[0] })
        this.#thread.port.ref()
      } catch (error) {
        reject(error)
      }
    })
  }

  #say(message: ToThread): void {
    this.#thread?.port.postMessage(message)
  }

  #start(): Thread {
    const { path, fileId } = this.#options
    return connect<ToService>(
      (port) => startOnFile('src/store/sqlite/operator/worker', 'operator', { path, fileId, port } as OperatorData),
      (message) => {
        this.#options.onAnswer()
        this.#take(message)
      },
      (worker, why) => this.#noteEnd(worker, why),
    )
  }

  #noteEnd(worker: Started, why: string): void {
    if (this.#thread?.worker !== worker) return
    this.#thread = undefined
    if (this.#pending.size === 0) return
    this.#options.report(`The thread of the operator's side has ended (${why}) and is started again.`)
    for (const { reject } of this.#pending.values()) {
      reject(
        new StoreUnavailable('the thread that works on it has ended; it is not known whether this was done.', {
          outcome: 'unknown',
        }),
      )
    }
    this.#pending.clear()
  }

  #take(message: ToService): void {
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return
    if (message.kind === 'wanted') {
      void this.#sendNext(message.id, pending)
      return
    }
    this.#pending.delete(message.id)
    if (this.#pending.size === 0) this.#thread?.port.unref()
    // What was not read to its end, as when an import fails, is told so.
    void pending.batches?.return?.()
    if (message.kind === 'done') pending.resolve(message.value)
    else pending.reject(pending.failure === undefined ? deserializeError(message.error) : pending.failure.error)
  }

  async #sendNext(id: number, pending: Pending): Promise<void> {
    try {
      const next = await pending.batches?.next()
      if (next === undefined || next.done) this.#say({ kind: 'next', id, end: pending.options })
      else this.#say({ kind: 'next', id, batch: next.value })
    } catch (error) {
      pending.failure = { error }
      this.#say({ kind: 'next', id, failed: true })
    }
  }
}
