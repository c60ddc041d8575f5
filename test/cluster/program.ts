/** One program of the cluster as a process that can be killed, stopped for a time and restarted; it logs to a file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface ProgramOptions {
  readonly command: readonly [program: string, ...args: string[]]
  /** Its whole environment except PATH. */
  readonly env?: Readonly<Record<string, string>>
  readonly user?: { readonly uid?: number; readonly gid?: number }
  /** Its output is appended to this file. */
  readonly log: string
  /** Processes that belong to it without being its children. */
  readonly others?: () => readonly number[]
}

export class Program {
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  start(): void {
    const [program, ...args] = this.#options.command
    const log = openSync(this.#options.log, 'a')
    this.#child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', ...this.#options.env },
      ...this.#options.user,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
  }

  /** Ends all of its processes at once, like a machine that loses power. */
  kill(): void {
    this.#signalAll('SIGKILL')
  }

  freeze(): void {
    this.#signalAll('SIGSTOP')
  }

  thaw(): void {
    this.#signalAll('SIGCONT')
  }

  #signalAll(signal: NodeJS.Signals): void {
    for (const pid of withDescendants(this.#roots())) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended by itself in the meantime.
      }
    }
  }

  #roots(): readonly number[] {
    const child = this.#child
    const others = this.#options.others?.() ?? []
    const hasEnded = child?.pid === undefined || child.exitCode !== null || child.signalCode !== null
    return hasEnded ? others : [child.pid, ...others]
  }
}

function withDescendants(roots: readonly number[]): readonly number[] {
  if (roots.length === 0) return []
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const found = new Set(roots)
  // A child can be listed before its parent, so the table is read until nothing new is found.
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const row of rows) {
      const [pid = 0, parent = 0] = row.trim().split(/\s+/).map(Number)
      if (found.has(parent)) found.add(pid)
    }
  }
  return [...found]
}
