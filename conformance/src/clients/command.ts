/** The judge of clients as a command: `pets check-client`, and `client` of the kit's own program. */
import { writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { htmlReport } from '../reports/html-report.ts'
import { junitReport } from '../reports/junit-report.ts'
import type { ClientCase, JudgeClock } from './case.ts'
import { clientReport } from './client-report.ts'
import { startDriver } from './driver.ts'
import { CLIENT_CASES, judgeClient } from './judge.ts'
import { hostOnLoopback } from './server.ts'

/** Most of the time of a case is spent waiting. */
const AT_ONCE = 10

/** Exit codes as a shell tells them. */
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 }

interface ClientCommandOptions {
  readonly case: readonly ClientCase[]
  readonly json?: true
  readonly junit?: string
  readonly html?: string
}

interface ClientSurroundings {
  /** Writes to standard output, and resolves when that is done. */
  readonly print: (text: string) => Promise<void>
  /** The error by which a command ends with a sentence and exit code 1. */
  readonly failure: (sentence: string) => Error
}

export function clientCommand(name: string, { print, failure }: ClientSurroundings): Command {
  return new Command(name)
    .description('Check a client of the interface, in any language, against a scripted service on loopback.')
    .argument('<command...>', 'what starts its driver, after --; it finds PETS_URL and PETS_KEY in its environment')
    .option('--case <ids>', 'only these cases, by the ids that a report prints', casesOf, CLIENT_CASES)
    .option('--json', 'one JSON document instead of text')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--html <file>', 'also write the report as one HTML page')
    .addHelpText('after', '\nExits with 0 when every case passed, 1 when one failed, and 2 on wrong usage.')
    .action(async (command: readonly string[], options: ClientCommandOptions) => {
      // Ends by `exit`, which takes the drivers along.
      for (const [signal, code] of Object.entries(INTERRUPTED)) process.once(signal, () => process.exit(code))
      const report = await judgeClient({
        name: command.join(' '),
        clock,
        cases: options.case,
        atOnce: AT_ONCE,
        host: hostOnLoopback,
        open: (baseUrl, key) => startDriver(command, baseUrl, key),
      })
      process.exitCode = report.verdict === 'passed' ? 0 : 1
      await print(options.json ? `${JSON.stringify(report, null, 2)}\n` : clientReport(report))
      const files = [
        ['--junit', options.junit, junitReport],
        ['--html', options.html, htmlReport],
      ] as const
      for (const [flag, file, text] of files) {
        if (file === undefined) continue
        await writeFile(file, text(report)).catch(() => {
          throw failure(`The file ${file} cannot be written; give ${flag} another path.`)
        })
      }
    })
}

/** It never steps: waits are measured by it. */
const clock: JudgeClock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

function casesOf(text: string): readonly ClientCase[] {
  const ids = text.split(',').map((id) => id.trim())
  const unknown = ids.filter((id) => !CLIENT_CASES.some((each) => each.id === id))
  if (unknown.length === 0) return CLIENT_CASES.filter(({ id }) => ids.includes(id))
  throw new InvalidArgumentError(`There is no case ${unknown.join(', ')}; a report prints the ids of the cases.`)
}
