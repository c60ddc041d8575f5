/** `pets check`: the conformance kit against any implementation of the interface, from outside. */
import { writeFile } from 'node:fs/promises'
import { SingleBar } from 'cli-progress'
import { Command, InvalidArgumentError } from 'commander'
import { junitReport } from '../conformance/junit-report.ts'
import { CannotStart, casesCiting, type Progress, parseBaseUrl, runConformance } from '../conformance/run.ts'
import { isStatement, type Statement } from '../conformance/statements.ts'
import { textReport } from '../conformance/text-report.ts'
import { CommandFailed, option } from './options.ts'
import { print } from './output.ts'

interface CheckOptions {
  readonly key: string
  readonly limitedKey?: string
  readonly only?: readonly Statement[]
  readonly json?: true
  readonly junit?: string
}

/** What an Authorization header can carry as one word. */
const VISIBLE_ASCII = /^[!-~]{2,}$/

export const check = new Command('check')
  .description('Check an implementation of the interface from outside, statement by statement.')
  .argument('<base-url>', 'its base address, which ends in /v1', baseUrl)
  .addOption(option('--key <key>', 'a valid key; it is not exhausted').makeOptionMandatory())
  .addOption(option('--limited-key <key>', 'another key, to be exhausted; without it the 429 cases are not run'))
  .option('--only <statements>', 'only the cases that cite one of these, such as R15,O4', statements)
  .option('--json', 'one JSON document instead of text')
  .option('--junit <file>', 'also write the report as JUnit XML')
  .addHelpText('after', '\nAdds up to some forty animals, says what their names begin with, and leaves them there.')
  .action(async (baseUrl: string, options: CheckOptions, command: Command) => {
    const { key, limitedKey, only, json, junit } = options
    // Not by a parser of the option: what that refuses is repeated on the terminal, and this is a secret.
    if (![key, limitedKey ?? key].every((secret) => VISIBLE_ASCII.test(secret))) {
      command.error('error: a key is two or more visible ASCII characters, without a space.')
    }
    if (limitedKey === key) command.error('error: --limited-key is exhausted, so it must be another key than --key.')
    const progress = new ProgressLine()
    const report = await runConformance({
      ...{ baseUrl, key, limitedKey, only },
      onProgress: (event) => progress.show(event),
    })
      .catch((error: unknown) => {
        throw error instanceof CannotStart ? new CommandFailed(error.message) : error
      })
      .finally(() => progress.stop())
    const colour = process.stdout.isTTY && process.env.NO_COLOR === undefined
    process.exitCode = report.verdict === 'passed' ? 0 : 1
    if (junit !== undefined) {
      await writeFile(junit, junitReport(report)).catch(() => {
        throw new CommandFailed(`The file ${junit} cannot be written; give --junit another path.`)
      })
    }
    await print(json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report, colour))
  })

function baseUrl(text: string): string {
  const parsed = parseBaseUrl(text)
  if ('problems' in parsed) throw new InvalidArgumentError(parsed.problems.join(' '))
  return text
}

function statements(text: string): readonly Statement[] {
  const named = text.split(',').map((name) => name.trim())
  const unknown = named.filter((name) => !isStatement(name))
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`There is no statement ${unknown.join(', ')}; they are R1 to R18 and O1 to O25.`)
  }
  const known = named.filter(isStatement)
  if (casesCiting(known).length > 0) return known
  throw new InvalidArgumentError(`No case cites ${named.join(', ')}: that cannot be seen from outside.`)
}

/** One line on stderr, where that is a terminal: how far the run is, what it is about, and why it waits when it does. */
class ProgressLine {
  readonly #bar = new SingleBar({
    format: '{bar} {value}/{total} {doing}',
    barsize: 20,
    clearOnComplete: true,
    hideCursor: true,
  })

  show(event: Progress): void {
    if (!process.stderr.isTTY || event.kind === 'result') return
    if (event.kind === 'case') {
      const doing = event.case.title
      if (this.#bar.isActive) this.#bar.update(event.number, { doing })
      else this.#bar.start(event.total, event.number, { doing })
    } else if (this.#bar.isActive) {
      this.#bar.update({ doing: `waiting ${Math.ceil(event.ms / 1000)} s for the allowance of the ${event.pool}` })
    }
  }

  stop(): void {
    if (this.#bar.isActive) this.#bar.stop()
  }
}
