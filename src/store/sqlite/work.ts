/** What a thread of a service does (file/file-thread.ts): it answers questions, on a connection of its own. */
import type { Clock } from '../../common/clock.ts'
import { serializeError } from './file/errors.ts'
import { type Answer, assertGoing, CLOSE, type Question, type ThreadData } from './file/file-thread.ts'

type Method = (...args: readonly unknown[]) => unknown

/** Answers until it is told to close. `isAlone`: in a thread of its own, which may start others. */
export async function workFor(data: ThreadData, clock: Clock, isAlone = false): Promise<void> {
  const { port } = data
  const { subjects, close } = await open(data, clock, isAlone)
  const methods = subjects as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>
  const answer = async ({ id, subject, method, args }: Question) => {
    try {
      port.postMessage({ id, value: await methods[subject]?.[method]?.(...args) } satisfies Answer)
    } catch (error) {
      port.postMessage({ id, error: serializeError(error) } satisfies Answer)
    }
  }
  port.on('message', (question: Question | typeof CLOSE) => {
    if (question === CLOSE) void close().then(() => port.close())
    else void answer(question)
  })
}

async function open(data: ThreadData, clock: Clock, isAlone: boolean) {
  const { name, path, fileId, stop } = data
  const options = { path, fileId, clock, isServing: true, assertGoing: () => assertGoing(data) }
  if (name === 'writer') return (await import('./writing/file-writer.ts')).openWriter(options)
  const { openScanner, Scanners } = await import('./operator/scanners.ts')
  if (name === 'scanner') return openScanner(options)
  const { openOperator } = await import('./operator/open.ts')
  return openOperator({ ...options, ...(isAlone && { scanners: new Scanners({ path, fileId, stop }) }) })
}
