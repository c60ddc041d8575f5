/** What a thread of a service does (file/file-thread.ts): it answers calls on its own connection. */
import type { Clock } from '../../common/clock.ts'
import type { OperatorSide } from '../operator-side.ts'
import { serializeError } from './file/errors.ts'
import type { FileDatabaseOptions } from './file/file-database.ts'
import {
  type Answer,
  assertGoing,
  CLOSE,
  type FileThreadOptions,
  type Question,
  type ThreadData,
} from './file/file-thread.ts'
import { answerCall } from './file/rpc.ts'
import type { ScannerSide } from './operator/scanners.ts'
import type { WriterSide } from './writing/file-writer.ts'

export interface Sides {
  readonly writer: WriterSide
  readonly operator: OperatorSide
  readonly scanner: ScannerSide
}

/** Answers until it is told to close. `isAlone`: in a separate thread, which can start others. */
export async function workFor(data: ThreadData, clock: Clock, isAlone = false): Promise<void> {
  const { name, path, fileId, stop, port } = data
  const options = { path, fileId, clock, isServing: true, assertGoing: () => assertGoing(data) }
  const { side, close } = await OPEN[name](options, isAlone ? { path, fileId, stop } : undefined)
  const answer = async ({ id, ...call }: Question) => {
    try {
      port.postMessage({ id, value: await answerCall(side, call) } satisfies Answer)
    } catch (error) {
      port.postMessage({ id, error: serializeError(error) } satisfies Answer)
    }
  }
  port.on('message', (question: Question | typeof CLOSE) => {
    if (question === CLOSE) void close().then(() => port.close())
    else void answer(question)
  })
}

/** Opens the side of a thread. Its own threads need `file`. */
type Open<Side> = (
  options: FileDatabaseOptions,
  file: Pick<FileThreadOptions, 'path' | 'fileId' | 'stop'> | undefined,
) => Promise<{ readonly side: Side; close(): Promise<void> }>

const OPEN: { readonly [Name in keyof Sides]: Open<Sides[Name]> } = {
  writer: async (options) => (await import('./writing/file-writer.ts')).openWriter(options),
  scanner: async (options) => (await import('./operator/scanners.ts')).openScanner(options),
  async operator(options, file) {
    const { Scanners } = await import('./operator/scanners.ts')
    const { openOperator } = await import('./operator/open.ts')
    return openOperator({ ...options, ...(file && { scanners: new Scanners(file) }) })
  },
}
