/**
 * Finds the files and threads of the program in each form of delivery: a clone, an installed package, or a single
 * executable application of Node. Callers name them by their path in the clone.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, extname } from 'node:path'
import { getAsset, getAssetKeys, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The modules that run in threads or processes of their own, as paths without the extension. A release bundles each. */
export const THREADS = [
  'src/animals-file/workbook-thread',
  'src/assets/prepare',
  'src/store/sqlite/worker',
  'src/store/sqlite/maintenance/snapshot-process',
  'src/service/publishing-thread',
] as const

/** Whether the program has a file. `path` is its path in the clone. */
export function hasProgramFile(path: string): boolean {
  return isSea() ? getAssetKeys().includes(path) : existsSync(`${programRoot()}/${path}`)
}

/** The text of a file. `path` is its path in the clone. */
export async function readProgramFile(path: string): Promise<string> {
  return isSea() ? getAsset(path, 'utf8') : readFile(`${programRoot()}/${path}`, 'utf8')
}

const threads = new Set<Worker>()

/** Starts a thread of the program. */
export function startThread(path: (typeof THREADS)[number], options: WorkerOptions): Worker {
  const thread = isSea()
    ? new Worker(getAsset(`${path}.js`, 'utf8'), { ...options, eval: true, execArgv: ['--input-type=module'] })
    : new Worker(fileOf(path), options)
  threads.add(thread)
  return thread.once('exit', () => threads.delete(thread))
}

/** In a package all modules are JavaScript, so each has the extension of this one. */
function fileOf(path: (typeof THREADS)[number]): string {
  return `${programRoot()}/${path}${extname(import.meta.filename)}`
}

/**
 * Ends the process, whatever its threads do. Node would wait for a statement of SQLite, which cannot be ended; another
 * program in place of this one does not: for a file it is as if the process were killed, and SQLite rolls back.
 */
export function endProcess(code: 0 | 1): never {
  const program = code === 0 ? '/bin/true' : '/bin/false'
  if (threads.size > 0 && existsSync(program)) process.execve?.(program, [program])
  return process.exit(code)
}

/**
 * Runs a module to its end in a separate process, which `signal` kills at any moment. In the single executable that is
 * the executable again (cli/pets.ts). The module gets `args` at the end of `process.argv`; the result is its `messageOf`.
 */
export async function runApart(
  path: (typeof THREADS)[number],
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { fork } = process.getBuiltinModule('node:child_process')
  const task = fork(isSea() ? path : fileOf(path), args, { serialization: 'advanced' })
  const kill = () => void task.kill('SIGKILL')
  if (signal?.aborted) kill()
  signal?.addEventListener('abort', kill)
  return messageOf(task).finally(() => signal?.removeEventListener('abort', kill))
}

/** What a thread or a process of the program says before it ends; undefined if it ends without. Throws why it fails. */
export function messageOf(task: Worker | ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  let message: unknown
  task.on('message', (sent: unknown) => {
    message = sent
  })
  task.once('error', reject).once(task instanceof Worker ? 'exit' : 'close', () => resolve(message))
  return promise
}

/** The root folder of the clone or the package. */
export function programRoot(): string {
  const manifest = findPackageJSON(import.meta.url)
  if (manifest === undefined) throw new Error('there is no package.json above the program')
  return dirname(manifest)
}
