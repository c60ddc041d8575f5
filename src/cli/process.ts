/** Runs a command with this process's streams, environment, folder and clock. */
import { fstatSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { systemClock } from '../common/system-clock.ts'
import { Cli, type Io, toOutputError } from './cli.ts'
import { reportFailure, runPets, type ServeDefaults } from './program.ts'

// Otherwise a background compilation can keep a finished process from ending (nodejs/node#54918).
setFlagsFromString('--no-concurrent-sparkplug')

export async function runProcess(args: readonly string[], serveDefaults?: ServeDefaults): Promise<void> {
  const io: Io = {
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    get stdin() {
      return process.stdin
    },
    stdout: {
      isTTY: process.stdout.isTTY,
      columns: process.stdout.columns,
      write: writeOut,
      log: process.stdout,
      isDiscarded: isDiscarded(),
    },
    stderr: process.stderr,
  }
  // Without a listener, an error of the log's stream would end the process. Only the first is reported.
  let hasFailed = false
  process.stdout.on('error', (error) => {
    if (!hasFailed) process.exitCode = reportFailure(new Cli(io), toOutputError(error))
    hasFailed = true
  })
  process.stderr.on('error', () => {})
  // By default SIGUSR1 opens Node's debugger to every user, and SIGUSR2 ends the process.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => {})
  // Deprecation warnings of libraries do not help the user, and cron would mail them.
  process.noDeprecation = true
  const code = await runPets(args, io, serveDefaults)
  if (code !== 0) process.exitCode = code
}

/** Node opens /dev/null if standard output is closed. */
function isDiscarded(): boolean {
  const nothing = statSync('/dev/null', { throwIfNoEntry: false })
  const output = fstatSync(1)
  return nothing !== undefined && output.isCharacterDevice() && output.rdev === nothing.rdev
}

async function writeOut(text: string): Promise<void> {
  if (process.stdout instanceof Socket) {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
    })
  }
  // Node's stream takes a partial write to a file for a whole one; this writes everything.
  else writeFileSync(1, text)
}
