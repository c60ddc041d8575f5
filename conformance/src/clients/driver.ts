/**
 * A client in any language, behind a driver: a process that reads calls as JSON lines from its standard input and says
 * on its standard output what became of each.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { int64OfJsonNumber } from '../interface.ts'
import { numberText, parseJson } from '../json-body.ts'
import { type Call, type Client, Fault, type Told } from './case.ts'

const SHOWN_CHARACTERS = 300
/** Of processes: elsewhere a driver ends alone, and what it has started may go on. */
const HAS_GROUPS = process.platform !== 'win32'

interface Waiting {
  readonly resolve: (told: Told) => void
  readonly reject: (fault: Fault) => void
}

/** The drivers that run, by their process groups. */
const groups = new Set<number>()

/** Starts the command; its address and key are PETS_URL and PETS_KEY in its environment. */
export function startDriver([program = '', ...args]: readonly string[], baseUrl: string, key: string): Client {
  const child = spawn(program, args, {
    env: { ...process.env, PETS_URL: baseUrl, PETS_KEY: key },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: HAS_GROUPS,
    windowsHide: true,
  })
  if (child.pid !== undefined) groups.add(child.pid)
  if (groups.size === 1) process.once('exit', killAll)
  const waiting = new Map<bigint, Waiting>()
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SHOWN_CHARACTERS)
  })
  const end = (why: string): void => {
    for (const { reject } of waiting.values()) reject(new Fault('an answer of the driver', `${why} ${said}`.trim()))
    waiting.clear()
  }
  child.stdin.on('error', () => {})
  child.on('error', ({ message }) => end(`it could not be started: ${message}`))
  child.on('close', (code) => end(`it ended with ${code}`))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = answerOf(line)
    if (answer === undefined) return end(`the line ${line.slice(0, SHOWN_CHARACTERS)}`)
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  })
  let lastId = 0n
  return {
    call(call) {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        if (isOver(child)) end('it has ended')
        else child.stdin.write(`${lineOf(id, call)}\n`)
      })
    },
    close: () => kill(child.pid),
  }
}

/** With all that it has started: a program that waits for an hour would keep the judge as long. */
function kill(pid: number | undefined): void {
  if (pid === undefined || !groups.delete(pid)) return
  if (groups.size === 0) process.off('exit', killAll)
  try {
    process.kill(HAS_GROUPS ? -pid : pid, 'SIGKILL')
  } catch {} // all of it has ended
}

function killAll(): void {
  for (const pid of groups) kill(pid)
}

function isOver({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function lineOf(id: bigint, call: Call): string {
  const members = Object.entries({ id, ...call }).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  )
  return `{${members}}`
}

/** Undefined if the line is no answer. */
function answerOf(line: string): (Told & { readonly id: bigint }) | undefined {
  try {
    const answer = exact(parseJson(line)) as Partial<Told & { readonly id: bigint }> | null
    return typeof answer?.id === 'bigint' ? { ...answer, id: answer.id } : undefined
  } catch {
    return undefined
  }
}

/** Every integer as a bigint. */
function exact(value: unknown): unknown {
  const number = numberText(value)
  if (number !== undefined) return int64OfJsonNumber(number) ?? Number(number)
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exact(member)]))
}
