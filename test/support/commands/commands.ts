/** Runs `pets` commands in the test's own process. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { runPets } from '../../../src/cli/program.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { type CommandResult, ENVIRONMENT } from '../service.ts'
import { patientClock } from '../time/clock.ts'

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** By default `cwd`. */
  readonly programFolder?: string
  readonly clock?: Clock
  /** The width of standard output, if it is a terminal. */
  readonly columns?: number
  readonly machineSettings?: string
}

export async function pets(
  args: readonly string[],
  {
    env = {},
    input = '',
    cwd = process.cwd(),
    programFolder = cwd,
    clock = patientClock,
    columns,
    machineSettings = '/nowhere',
  }: Surroundings = {},
): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  const code = await runPets(args, {
    env: { ...ENVIRONMENT, ...env },
    cwd,
    programFolder,
    clock,
    machineSettings,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: {
      columns,
      isTTY: columns !== undefined,
      write(text) {
        stdout += text
      },
    },
    stderr: {
      write(text) {
        stderr += text
      },
    },
  })
  return { code, stdout, stderr }
}

/** A hook of the suite can create the database. */
export function commandsOn(database: string | (() => string)) {
  const of = () => ['--database', typeof database === 'string' ? database : database()]
  const run = (...args: string[]) => pets([...args, ...of()])
  const done = async (...args: string[]) => assertDone(await run(...args)).stdout
  return {
    run,
    /** The output of a command that must succeed. */
    done,
    /** The same as JSON, one object a line. */
    told: async <T = Readonly<Record<string, string>>>(...args: string[]) => linesOf<T>(await done(...args, '--json')),
    refused: async (message: RegExp, ...args: string[]) => assertRefused(await run(...args), message),
    /** Imports a list, and creates the database if it does not exist. */
    add: (input: string, ...more: string[]) => pets(['import', '--create', '-', ...more, ...of()], { input }),
    async key(...plan: string[]): Promise<{ readonly id: string; readonly key: string }> {
      const { stdout } = assertDone(await run('keys', 'create', '--create', '--json', '--plan', ...plan))
      return JSON.parse(stdout)
    },
    async names(): Promise<ReadonlyMap<number, string>> {
      const animals = linesOf<{ id: number; name: string }>(await done('export'))
      return new Map(animals.map(({ id, name }) => [id, name]))
    },
  }
}

/** Arguments of `key` for limits that no test reaches. */
export const LARGE = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']

export function assertDone(result: CommandResult): CommandResult {
  assert.equal(result.code, 0, result.stderr)
  return result
}

export function assertRefused({ code, stdout, stderr }: CommandResult, message: RegExp): void {
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, message)
  assert.doesNotMatch(stderr, /\n\s+at /, 'a sentence, no stack')
}

export function linesOf<T>(text: string): T[] {
  const lines = text.trim()
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as T)
}
