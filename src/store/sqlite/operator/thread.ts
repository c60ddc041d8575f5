/**
 * The operator's side of a service, in a thread: each call of a method of a subject (../../operator-side.ts) is a
 * question to it. What an import reads goes there as a stream.
 */
import { ReadableStream } from 'node:stream/web'
import type { Author } from '../../author.ts'
import type { OperatorSide } from '../../operator-side.ts'
import type { FileThread } from '../file/file-thread.ts'

const SUBJECTS: readonly (keyof OperatorSide)[] = [
  ...(['archive', 'categories', 'imports', 'keys', 'ledger', 'origins'] as const),
  ...(['people', 'records', 'reports', 'sync', 'words'] as const),
]

export function openInThread(thread: FileThread) {
  const subjects = Object.fromEntries(SUBJECTS.map((subject) => [subject, proxyOf(thread, subject)]))
  return { subjects: subjects as unknown as OperatorSide, stop: () => thread.stop(), close: () => thread.close() }
}

function proxyOf(thread: FileThread, subject: string): object {
  return new Proxy(
    {},
    {
      get: (own, method) =>
        // A promise looks whether what it resolves to has a `then`.
        method === 'then'
          ? undefined
          : (Reflect.get(own, method) ?? ((...args: unknown[]) => call(thread, subject, String(method), args))),
    },
  )
}

function call(thread: FileThread, subject: string, method: string, args: readonly unknown[]): Promise<unknown> {
  const [batches, options] = args
  const given = isIterable(batches) ? streamOf(batches, options as ActOptions) : undefined
  return new Promise((resolve, reject) => {
    thread.ask(
      { subject, method, args: given === undefined ? args : [given.stream, ...args.slice(1)] },
      (outcome) => {
        if ('value' in outcome) resolve(outcome.value)
        else reject(given?.failure() ?? outcome.error)
      },
      given === undefined ? [] : [given.stream],
    )
  })
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

interface ActOptions {
  readonly by: Author
}

/** Batches, and last the time: an act is timed when it is written, which is when the batches have ended. */
function streamOf(batches: AsyncIterable<unknown>, { by }: ActOptions) {
  let failure: unknown
  async function* items(): AsyncIterable<unknown> {
    try {
      yield* batches
    } catch (error) {
      failure = error
      throw new Error('the batches ended in a failure')
    }
    yield { atMs: by.atMs }
  }
  return { stream: ReadableStream.from(items()), failure: () => failure }
}

/** What `streamOf` has sent; at its end the author of `options` has the time of the act. */
export async function* batchesOf(stream: ReadableStream, { by }: ActOptions): AsyncIterable<unknown> {
  for await (const item of stream) {
    if (Array.isArray(item)) yield item
    else Object.assign(by, item)
  }
}
