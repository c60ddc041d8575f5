/**
 * The operator's side of the service: a thread with a connection of its own (worker.ts), so that neither what people
 * read nor what they write holds the event loop. It is started with the first call, and again when it has died.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { startThread } from '../../../common/program.ts'
import type { OperatorSide } from '../../operator-side.ts'
import { StoreUnavailable } from '../../store.ts'
import { toError } from '../file/sent-error.ts'
import type { OperatorData, ToService, ToThread } from './messages.ts'

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
export function operatorApart(options: OperatorThreadOptions) {
  const thread = new OperatorThread(options)
  const side = Object.fromEntries(SUBJECTS.map((subject) => [subject, thread.subject(subject)]))
  const notHere = () => Promise.reject(new Error('the public port writes this'))
  return {
    side: side as unknown as OperatorSide,
    create: notHere,
    saveUsages: notHere,
    commits: { count: 0, rows: 0 },
    close: () => thread.close(),
  }
}

const SUBJECTS: readonly (keyof OperatorSide)[] = [
  ...(['archive', 'categories', 'imports', 'keys', 'ledger', 'origins'] as const),
  ...(['people', 'records', 'reports', 'sync', 'words'] as const),
]

class OperatorThread {
  readonly #options: OperatorThreadOptions
  readonly #pending = new Map<number, Pending>()
  #calls = 0
  #thread: { readonly worker: Worker; readonly port: MessagePort } | undefined

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
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
    thread.worker.ref()
    this.#say({ kind: 'close' })
    await ended
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

  #start() {
    const { path, fileId } = this.#options
    const { port1: port, port2 } = new MessageChannel()
    const cache = getCompileCacheDir()
    const data: OperatorData = { path, fileId, port: port2 as unknown as OperatorData['port'] }
    const worker = startThread('src/store/sqlite/operator/worker', {
      name: 'operator',
      workerData: data,
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
    port.on('message', (message: ToService) => {
      this.#options.onAnswer()
      this.#take(message)
    })
    port.unref()
    return { worker, port }
  }

  #noteEnd(worker: Worker, cause: unknown): void {
    if (this.#thread?.worker !== worker) return
    this.#thread = undefined
    if (this.#pending.size === 0) return
    const why = cause instanceof Error ? cause.message : String(cause)
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
    else pending.reject(pending.failure === undefined ? toError(message.error) : pending.failure.error)
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
