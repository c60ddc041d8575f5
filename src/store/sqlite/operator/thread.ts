/**
 * The operator's side of a service, in a thread: each call of a method of a subject (../../operator-side.ts) is a
 * question to it. What an import reads goes there as a stream.
 */
import type { OperatorSide } from '../../operator-side.ts'
import type { FileThread } from '../file/file-thread.ts'

const SUBJECTS = Object.keys({
  archive: true,
  categories: true,
  imports: true,
  keys: true,
  ledger: true,
  origins: true,
  people: true,
  records: true,
  reports: true,
  sync: true,
  words: true,
} satisfies Readonly<Record<keyof OperatorSide, true>>)

export function openInThread(thread: FileThread) {
  const subjects = Object.fromEntries(SUBJECTS.map((subject) => [subject, proxyOf(thread, subject)]))
  return { subjects: subjects as unknown as OperatorSide, stop: () => thread.stop(), close: () => thread.close() }
}

/** The methods of a subject, each of which asks the thread. */
function proxyOf(thread: FileThread, subject: string): object {
  const methods: Record<string, unknown> = {}
  return new Proxy(methods, {
    get(_, method: string) {
      if (method === 'then') return undefined // a promise looks whether what it resolves to has one
      methods[method] ??= call.bind(undefined, thread, subject, method)
      return methods[method]
    },
  })
}

async function call(thread: FileThread, subject: string, method: string, ...args: readonly unknown[]) {
  const [batches, ...rest] = args
  const same = (value: unknown) => value
  if (!isIterable(batches)) return thread.ask({ subject, method, args }, same)
  const { stream, failure, end } = streamOf(batches)
  const answer = thread.ask({ subject, method, args: [stream, ...rest] }, same, [stream])
  return answer.catch((error: unknown) => {
    end()
    throw failure() ?? error
  })
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The failure of the batches stays in this thread. `end` lets go of them where the other thread died as it read. */
function streamOf(batches: AsyncIterable<unknown>) {
  let failure: unknown
  async function* items(): AsyncGenerator<unknown> {
    try {
      yield* batches
    } catch (error) {
      failure = error
      throw new Error('the batches ended in a failure')
    }
  }
  const all = items()
  const end = () => void all.return(undefined).catch(() => {})
  const { ReadableStream } = process.getBuiltinModule('node:stream/web')
  return { stream: ReadableStream.from(all), failure: () => failure, end }
}
