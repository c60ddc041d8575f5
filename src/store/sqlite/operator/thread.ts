/** The operator's side of a service (../../operator-side.ts) in a thread. Imports are sent to it as a stream. */
import type { OperatorSide } from '../../operator-side.ts'
import type { FileThread } from '../file/file-thread.ts'
import { type Call, remoteSide } from '../file/rpc.ts'

const TARGETS = {
  archive: true,
  categories: true,
  imports: true,
  keys: true,
  layouts: true,
  ledger: true,
  origins: true,
  people: true,
  records: true,
  reports: true,
  sync: true,
  words: true,
} as const

export function openInThread(thread: FileThread<OperatorSide>) {
  const side = remoteSide<OperatorSide>(TARGETS, (call) => send(thread, call))
  return { side, stop: () => thread.stop(), close: () => thread.close() }
}

async function send(thread: FileThread<OperatorSide>, call: Call): Promise<unknown> {
  const [batches, ...rest] = call.args
  const same = (value: unknown) => value
  if (!isIterable(batches)) return thread.send(call, same)
  const { stream, failure, end } = streamOf(batches)
  const answer = thread.send({ ...call, args: [stream, ...rest] }, same, [stream])
  return answer.catch((error: unknown) => {
    end()
    throw failure() ?? error
  })
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The error of the batches stays in this thread. `end` releases them if the other thread died. */
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
