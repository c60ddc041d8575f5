/** The threads of a service that work on its file: each is spoken to over a port, and keeps no process alive. */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { startThread } from '../../../common/program.ts'

/** A thread, or what does its work. */
export interface Started {
  once(event: 'error' | 'exit', listener: (cause: unknown) => void): unknown
  ref(): void
  unref(): void
}

export interface Thread {
  readonly worker: Started
  readonly port: MessagePort
}

export function startOnFile(
  path: Parameters<typeof startThread>[0],
  name: string,
  data: { readonly port: MessagePort },
): Worker {
  const cache = getCompileCacheDir()
  return startThread(path, {
    name,
    workerData: data,
    transferList: [data.port],
    // With cached compiled code the thread does not load the type stripper, which takes 17 MB.
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
  })
}

/** `onEnd` is told what the thread ended with. */
export function connect<Message>(
  start: (port: MessagePort) => Started,
  onMessage: (message: Message) => void,
  onEnd: (worker: Started, why: string) => void,
): Thread {
  const { port1: port, port2 } = new MessageChannel()
  const worker = start(port2)
  let cause: unknown
  worker.once('error', (error) => {
    cause = error
  })
  worker.once('exit', (code) => {
    onEnd(worker, cause instanceof Error ? cause.message : String(cause ?? `exit code ${code}`))
  })
  worker.unref()
  port.on('message', onMessage)
  port.unref()
  return { worker, port }
}

/** Says the last message, and resolves when the thread has ended. */
export async function end({ worker, port }: Thread, last: unknown): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.ref()
  port.postMessage(last)
  await ended
}
