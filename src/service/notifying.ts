/**
 * Tells a person what is wrong: runs `--notify-command` with the text on its standard input, once when something begins
 * to be wrong and once when it is over. Nothing waits for the command; one that fails, or does not end, costs a line of
 * the log.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { type Clock, MINUTE_MS } from '../common/clock.ts'
import { printable } from '../common/printable.ts'
import type { Trouble } from './troubles.ts'

const LOOK_EVERY_MS = 5_000
/** From one run of the command to the next: what changes meanwhile is told together. */
const QUIET_MS = 5 * MINUTE_MS
/** How long the command may take. */
const PATIENCE_MS = 30_000
/** Of what it says of its failure. */
const KEPT_CHARACTERS = 500

interface Options {
  readonly command: string
  readonly troubles: () => readonly Trouble[]
  readonly baseUrl: string
  readonly log: Logger
  readonly clock: Clock
}

/** By what they are about. */
type Told = ReadonlyMap<Trouble['about'], string>

/** Returns what ends it, and with it a command that is running. */
export function startNotifying({ command, troubles, baseUrl, log, clock }: Options): () => void {
  let told: Told = new Map()
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let running: ChildProcess | undefined
  let isOver = false
  const look = () => {
    if (clock.monotonic() < quietUntilMs) return
    const now: Told = new Map(troubles().map(({ about, sentence }) => [about, printable(sentence)]))
    const begun = [...now].filter(([about]) => !told.has(about))
    const over = [...told].filter(([about]) => !now.has(about))
    if (begun.length + over.length === 0) return
    quietUntilMs = clock.monotonic() + QUIET_MS
    const title = `The pet adoption service at ${baseUrl} on ${hostname()}, ${new Date(clock.now()).toISOString()}`
    const text = `${title}\n${part('Something is wrong', begun)}${part('This is over', over)}`
    running = start(command, text, clock, (failure) => {
      if (failure === undefined) {
        told = now
        log.info({ begun: begun.length, over: over.length }, '--notify-command was run')
      } else if (!isOver) {
        log.error(`--notify-command failed: ${failure}; if there is something to tell in 5 minutes, it is run again`)
      }
    })
  }
  const timer = clock.every(LOOK_EVERY_MS, look).unref()
  return () => {
    isOver = true
    clock.cancel(timer)
    if (running !== undefined) end(running)
  }
}

function part(title: string, sentences: readonly (readonly [about: string, sentence: string])[]): string {
  return sentences.length === 0 ? '' : `\n${title}:\n${sentences.map(([, sentence]) => `- ${sentence}\n`).join('')}`
}

/** Calls `ended` once, with the reason if the command failed. */
function start(
  command: string,
  text: string,
  clock: Clock,
  ended: (failure: string | undefined) => void,
): ChildProcess | undefined {
  // The settings may hold passwords.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PETS_')))
  let child: ReturnType<typeof spawnShell>
  try {
    child = spawnShell(command, env)
  } catch (error) {
    ended(String(error))
    return undefined
  }
  child.once('error', ({ message }) => ended(message))
  // Without memory or descriptors there is no process, nor are there pipes.
  if (child.pid === undefined) return undefined
  let said = ''
  let late: string | undefined
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    said = (said + more).slice(0, KEPT_CHARACTERS)
  })
  child.stdin.on('error', () => {}) // a command need not read it
  child.stdin.end(text)
  const deadline = clock.after(PATIENCE_MS, () => {
    late = `it did not end within ${PATIENCE_MS / 1_000} s`
    end(child)
  })
  child.once('exit', (code, signal) => {
    clock.cancel(deadline)
    // What the command has left running may hold them.
    child.stdin.destroy()
    child.stderr.destroy()
    ended(
      late ?? (code === 0 ? undefined : `${code === null ? signal : `exit code ${code}`} ${printable(said.trim())}`),
    )
  })
  return child
}

/** In a group of its own, so that what it starts is ended with it. */
function spawnShell(command: string, env: NodeJS.ProcessEnv) {
  const detached = process.platform !== 'win32'
  return spawn(command, { shell: true, detached, windowsHide: true, env, stdio: ['pipe', 'ignore', 'pipe'] })
}

function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {} // it has ended
}
