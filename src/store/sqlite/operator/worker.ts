/** The thread of the operator's side: it runs the calls of the service on a connection of its own. */
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../../common/system-clock.ts'
import { serializeError } from '../file/thread-errors.ts'
import { operatorInThisThread } from './in-this-thread.ts'
import type { Call, Next, OperatorData, ToService, ToThread } from './thread.ts'

const { path, fileId, port } = workerData as OperatorData
const { side, close } = operatorInThisThread({ path, fileId, clock: systemClock, isServing: true, onCommit: () => {} })
const waiting = new Map<number, (next: Next) => void>()
const say = (message: ToService) => port.postMessage(message)

port.on('message', (message: ToThread) => {
  if (message.kind === 'call') void answer(message)
  else if (message.kind === 'next') waiting.get(message.id)?.(message)
  else void close().then(() => port.close())
})

async function answer({ id, subject, method, args, isOfBatches }: Call): Promise<void> {
  try {
    const object = side[subject as keyof typeof side] as unknown as Record<string, (...args: unknown[]) => unknown>
    const [options, ...rest] = args
    const given = isOfBatches ? [batches(id, options as object), options, ...rest] : args
    say({ kind: 'done', id, value: await object[method]?.(...given) })
  } catch (error) {
    say({ kind: 'failed', id, error: serializeError(error) })
  }
}

async function* batches(id: number, options: object): AsyncIterable<unknown> {
  for (;;) {
    const next = await new Promise<Next>((resolve) => {
      waiting.set(id, resolve)
      say({ kind: 'wanted', id })
    })
    waiting.delete(id)
    if ('batch' in next) yield next.batch
    else if ('failed' in next) throw new Error('the batches ended in a failure')
    else {
      Object.assign(options, next.end)
      return
    }
  }
}
