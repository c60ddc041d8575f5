/** Starts the service and commands as processes, on free ports and by default on a new database. */
import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Plan, Quota } from '../../src/contract/plans.ts'
import { issueKey } from '../../src/domain/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { memoryFolder } from './folder.ts'
import { type Answer, call } from './http.ts'
import { endWithTests } from './servers/servers.ts'
import { patientClock } from './time/clock.ts'
import { unlessEnded } from './until.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PETS = 'src/cli/pets.ts'
/** As npm start and deploy/ start the service. */
const START = 'src/cli/pets.js'
export const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('PETS_TEST_')),
)
export const SERVING = /"msg":"serving (\S+)"/
const SAID_WITHIN_MS = 60_000
const BOUNDLESS = { perMinute: 1_000_000, perDay: 1_000_000 }
const COMMAND_TIMEOUT_MS = 300_000

export interface ServiceOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Runs the command line that is appended to it. */
  readonly launcher?: readonly [command: string, ...args: string[]]
  readonly database?: string
  /** By default a free one; `none` halves the time of a start. */
  readonly operatorPort?: number | 'none'
}

export type RunningService = Awaited<ReturnType<typeof startService>>

/** It ends with the tests at the latest. */
export interface RunningCommand {
  readonly process: ChildProcess
  /** What it has written so far; `output` is both. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly output: () => string
  /** Resolves when it has written this. Fails with its output if it ends before. */
  says(what: RegExp): Promise<RegExpExecArray>
  /** Its exit code, after all its output; null if a signal ended it. */
  readonly ended: Promise<number | null>
}

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type CommandOptions = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } & Pick<
  ServiceOptions,
  'launcher'
>

export async function pets(
  args: readonly string[],
  { input = '', ...options }: CommandOptions & { readonly input?: string } = {},
): Promise<CommandResult> {
  const { process: child, ended, stdout, stderr } = startPets(args, options)
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
  child.stdin?.end(input)
  const code = await ended
  clearTimeout(timer)
  return { code, stdout: stdout(), stderr: stderr() }
}

export function startPets(
  args: readonly string[],
  { launcher, ...options }: CommandOptions & Pick<SpawnOptions, 'stdio' | 'detached'> = {},
): RunningCommand {
  return startProgram([...(launcher ?? []), process.execPath, join(ROOT, PETS), ...args], options)
}

export function startProgram(
  [command = '', ...args]: readonly string[],
  { env, ...options }: SpawnOptions = {},
): RunningCommand {
  const child = spawn(command, args, { ...options, env: { ...ENVIRONMENT, ...env } })
  endWithTests(child)
  child.stdin?.on('error', () => {}) // a command that refuses its input closes it early
  // On 'exit', the last lines might not have arrived.
  const ended = new Promise<number | null>((done) => child.once('close', done))
  const [stdout, stderr] = [written(child.stdout), written(child.stderr)]
  const output = written(child.stdout, child.stderr)
  const says = async (what: RegExp) => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const found = what.exec(output())
      if (found !== null) resolve(found)
    }
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look)
    look()
    const tell = () => reject(new Error(`not said within ${SAID_WITHIN_MS} ms: ${what}\n${output()}`))
    const late = setTimeout(tell, SAID_WITHIN_MS)
    return await unlessEnded(promise, ended, output).finally(() => {
      clearTimeout(late)
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', look)
    })
  }
  return { process: child, ended, stdout, stderr, output, says }
}

function written(...streams: readonly (Readable | null)[]): () => string {
  let text = ''
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  }
  return () => text
}

export async function startService(options: ServiceOptions = {}) {
  const database = options.database ?? `sqlite:${memoryFolder()}/pets.db`
  const asked = options.operatorPort ?? 0
  const usual = ['serve', '--create', '--port', '0', '--database', database]
  const args = [...usual, ...(asked === 'none' ? [] : ['--operator-port', String(asked)]), ...(options.args ?? [])]
  const started = startProgram([...(options.launcher ?? []), process.execPath, join(ROOT, START), ...args], {
    ...(options.env && { env: options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { process: child, ended, output, says } = started
  const [, baseUrl = ''] = await says(SERVING)
  const said = /"operatorUrl":"([^"]+)"/.exec(output())?.[1]
  const operatorPort = said === undefined ? Number(asked) : Number(new URL(said).port)
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    operatorPort,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,
    database,
    process: child,
    output,
    says,
    /** By default a key whose limits no test reaches. */
    async issueKey(plan: Plan = 'enterprise', custom?: Quota, label?: string) {
      const store = await openStore(database, { serving: false, clock: patientClock })
      const quota = custom ?? (plan === 'enterprise' ? BOUNDLESS : undefined)
      try {
        const issuer = { store, clock: patientClock, randomBytes, who: 'a test' }
        const { key, secret } = await issueKey(issuer, { plan, custom: quota, label, expiresAtMs: undefined })
        return { id: key.id, key: secret }
      } finally {
        await store.close()
      }
    },
    stop,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

export function createPet(service: RunningService, key: string, name: string): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name, categoryId: 1 })
  return call(service.port, { method: 'POST', path: '/v1/pets', key, headers, body })
}

export async function createdId(service: RunningService, key: string, name: string): Promise<number> {
  const { status, body } = await createPet(service, key, name)
  assert.equal(status, 201, body)
  return (JSON.parse(body) as { readonly id: number }).id
}
