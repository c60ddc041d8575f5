/** What a thread of a service does (file/file-thread.ts): it answers questions, on a connection of its own. */
import { ReadableStream } from 'node:stream/web'
import type { Clock } from '../../common/clock.ts'
import { type Answer, CLOSE, type Question, type ThreadData } from './file/file-thread.ts'
import { serializeError } from './file/thread-errors.ts'
import { batchesOf } from './operator/thread.ts'

type Method = (...args: readonly unknown[]) => unknown

/** Answers until it is told to close. */
export async function workFor({ name, port, ...file }: ThreadData, clock: Clock): Promise<void> {
  const options = { ...file, clock, isServing: true }
  const { subjects, close } =
    name === 'writer'
      ? (await import('./writing/file-writer.ts')).openWriter(options)
      : (await import('./operator/open.ts')).openOperator(options)
  const methods = subjects as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>
  const answer = async ({ id, subject, method, args }: Question) => {
    try {
      const [first, options, ...rest] = args
      const given =
        first instanceof ReadableStream
          ? [batchesOf(first, options as Parameters<typeof batchesOf>[1]), options, ...rest]
          : args
      port.postMessage({ id, value: await methods[subject]?.[method]?.(...given) } satisfies Answer)
    } catch (error) {
      port.postMessage({ id, error: serializeError(error) } satisfies Answer)
    }
  }
  port.on('message', (question: Question | typeof CLOSE) => {
    if (question === CLOSE) void close().then(() => port.close())
    else void answer(question)
  })
}
