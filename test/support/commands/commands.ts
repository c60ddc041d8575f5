/**
 * Runs `pets` commands in the test's own process, where the guarantee is what a command does and says, and not how its
 * process begins and ends: several may run at once.
 */
import { Readable } from 'node:stream'
import { runPets } from '../../../src/cli/program.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { systemClock } from '../../../src/common/system-clock.ts'
import { type CommandResult, ENVIRONMENT } from '../service.ts'

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  readonly clock?: Clock
  /** The width of the terminal that standard output is. */
  readonly columns?: number
  /** The settings of the machine; without it there are none. */
  readonly machineSettings?: string
}

/** As `pets` in service.ts. */
export async function pets(
  args: readonly string[],
  {
    env = {},
    input = '',
    cwd = process.cwd(),
    clock = systemClock,
    columns,
    machineSettings = '/nowhere',
  }: Surroundings = {},
): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  const code = await runPets(args, {
    env: { ...ENVIRONMENT, ...env },
    ...{ cwd, clock, machineSettings },
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
