/** Runs a command with the streams, environment, folder and clock of this process. */
import { fstatSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { systemClock } from '../common/system-clock.ts'
import { Cli, type Io, toOutputError } from './cli.ts'
import { reportFailure, runPets, type ServeDefaults } from './program.ts'

// With it, a compilation in the background and the end of the process may wait for each other: a command that has done
// its work never ends (nodejs/node#54918).
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
  // The log writes to the stream directly: without a listener an error would end the process. Only the first failure is
  // reported.
  let hasFailed = false
  process.stdout.on('error', (error) => {
    if (!hasFailed) process.exitCode = reportFailure(new Cli(io), toOutputError(error))
    hasFailed = true
  })
  process.stderr.on('error', () => {})
  // Without listeners the first opens node's debugger to every user of the machine, and the second ends the process.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => {})
  // Warnings of deprecated calls in libraries are no use to whoever runs a command, and cron would mail them.
  process.noDeprecation = true
  const code = await runPets(args, io, serveDefaults)
  if (code !== 0) process.exitCode = code
}

/** Node opens /dev/null where standard output is closed. */
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
  // For a file, node's own stream writes once and takes a partial write for a whole one; this continues until all is
  // written.
  else writeFileSync(1, text)
}
