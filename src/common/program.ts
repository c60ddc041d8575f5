/**
 * Finds the files and threads of the program in each form of delivery: a clone, an installed package, or one executable
 * (a single executable application of node). Callers name them by their path in the clone.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, extname } from 'node:path'
import { getAsset, getAssetKeys, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The modules that run in threads, without the extension. A release bundles each of them. */
export const THREADS = [
  'src/assets/prepare',
  'src/store/sqlite/writer-worker',
  'src/store/sqlite/snapshot-process',
] as const

/** A module that runs beside the program, and what it says. */
export interface Apart {
  onMessage(listener: (message: unknown) => void): void
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
  kill(): void
}

/** The names of the files in a folder. `folder` is its path in the clone. */
export function programFilesIn(folder: string): readonly string[] {
  if (!isSea()) return readdirSync(`${root()}/${folder}`)
  const below = `${folder}/`
  const names = getAssetKeys().flatMap((path) => (path.startsWith(below) ? [path.slice(below.length)] : []))
  return names.filter((name) => !name.includes('/'))
}

/** The text of a file. `path` is its path in the clone. */
export async function readProgramFile(path: string): Promise<string> {
  return isSea() ? getAsset(path, 'utf8') : readFile(`${root()}/${path}`, 'utf8')
}

/** Starts a thread of the program. */
export function startThread(path: (typeof THREADS)[number], options: WorkerOptions): Worker {
  // In a package the modules are JavaScript, and so is this file there.
  if (!isSea()) return new Worker(`${root()}/${path}${extname(import.meta.filename)}`, options)
  const execArgv = [...(options.execArgv ?? []), '--input-type=module']
  return new Worker(getAsset(`${path}.js`, 'utf8'), { ...options, eval: true, execArgv })
}

/**
 * Starts a module in a process, which can be ended at any moment. In the executable it is a thread, which ends only when what
 * it does in native code is done. It finds `args` in `process.argv` or in `workerData`.
 */
export function startApart(path: (typeof THREADS)[number], args: readonly string[]): Apart {
  if (isSea()) {
    const thread = startThread(path, { workerData: args })
    return {
      onMessage: (listener) => thread.on('message', listener),
      ended: once(thread, 'exit'),
      kill: () => void thread.terminate(),
    }
  }
  const child = fork(`${root()}/${path}${extname(import.meta.filename)}`, args, { serialization: 'advanced' })
  return {
    onMessage: (listener) => child.on('message', listener),
    ended: once(child, 'close'),
    kill: () => void child.kill('SIGKILL'),
  }
}

function root(): string {
  const manifest = findPackageJSON(import.meta.url)
  if (manifest === undefined) throw new Error('there is no package.json above the program')
  return dirname(manifest)
}
