/**
 * Runs `pets` commands without a process for each, where the guarantee is what a command does and says, and not how its
 * process begins and ends: loading the program takes ten times as long as most commands. A command has a process for
 * itself while it runs, which then waits for the next (host.ts).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { type CommandResult, ENVIRONMENT } from '../service.ts'
import type { CommandLine } from './host.ts'

const HOST = new URL('host.ts', import.meta.url)
/** More commands at once wait for one another: most of a host's time is its beginning. */
const MOST_HOSTS = 3
const idle: ChildProcess[] = []
const waiting: ((host: ChildProcess) => void)[] = []
let hosts = 0

/** As `pets` in service.ts. Rejects if the process ends, as that of a command that calls `process.exit` does. */
export async function pets(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly input?: string; readonly cwd?: string } = {},
): Promise<CommandResult> {
  const host = await freeHost()
  const line: CommandLine = {
    args,
    env: { ...ENVIRONMENT, ...options.env },
    cwd: options.cwd ?? process.cwd(),
    input: options.input ?? '',
  }
  const answer = new Promise<CommandResult>((done, failed) => {
    host.once('message', done)
    host.once('exit', (code) => failed(new Error(`the process of pets ${args.join(' ')} ended with ${code}`)))
  })
  keepRunning(host, true)
  host.send(line)
  try {
    return await answer
  } finally {
    host.removeAllListeners()
    keepRunning(host, false)
    pass(host.connected ? host : startHost())
  }
}

async function freeHost(): Promise<ChildProcess> {
  const free = idle.pop()
  if (free !== undefined) return free
  if (hosts === MOST_HOSTS) return new Promise((found) => waiting.push(found))
  hosts += 1
  return startHost()
}

function pass(host: ChildProcess): void {
  const next = waiting.shift()
  if (next === undefined) idle.push(host)
  else next(host)
}

/**
 * It ends with this process, whose end closes its channel. Standard output is a pipe because a command writes to a file
 * without the stream that the host listens to.
 */
function startHost(): ChildProcess {
  const host = fork(HOST, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  keepRunning(host, false)
  return host
}

/** Whether this process waits for it. */
function keepRunning(host: ChildProcess, does: boolean): void {
  for (const held of [host, host.channel]) {
    if (does) held?.ref()
    else held?.unref()
  }
}
