/** Finds the files of the program and starts its threads, by their path in the clone. */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

type Thread =
  | 'src/animals-file/reading-thread.ts'
  | 'src/assets/prepare.ts'
  | 'src/store/sqlite/worker.ts'
  | 'src/store/sqlite/maintenance/snapshot-process.ts'
  | 'src/service/publishing-thread.ts'

export const PROGRAM_ROOT = resolve(import.meta.dirname, '../..')

export async function readProgramFile(path: string): Promise<string> {
  return readFile(`${PROGRAM_ROOT}/${path}`, 'utf8')
}

const threads = new Set<Worker>()

export function startThread(path: Thread, options: WorkerOptions): Worker {
  const thread = new Worker(`${PROGRAM_ROOT}/${path}`, options)
  threads.add(thread)
  return thread.once('exit', () => threads.delete(thread))
}

/** Ends the process immediately. Node would wait for a statement of SQLite, which rolls it back as after a crash. */
export function endProcess(code: 0 | 1): never {
  const program = code === 0 ? '/bin/true' : '/bin/false'
  if (threads.size > 0 && existsSync(program)) process.execve?.(program, [program])
  return process.exit(code)
}

/** Runs a module in a separate process, which `signal` kills. The module gets `args` at the end of `process.argv`. */
export async function runApart(
  path: Thread,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { fork } = process.getBuiltinModule('node:child_process')
  const task = fork(`${PROGRAM_ROOT}/${path}`, args, { serialization: 'advanced' })
  const kill = () => void task.kill('SIGKILL')
  if (signal?.aborted) kill()
  signal?.addEventListener('abort', kill)
  return messageOf(task).finally(() => signal?.removeEventListener('abort', kill))
}

/** The message of a thread or process before it ends; undefined if it ends without one. Throws why it failed. */
export function messageOf(task: Worker | ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  let message: unknown
  task.on('message', (sent: unknown) => {
    message = sent
  })
  task.once('error', reject).once(task instanceof Worker ? 'exit' : 'close', () => resolve(message))
  return promise
}
