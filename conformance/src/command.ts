/** The kit as a command: `pet-adoption-conformance`, and `pets check` in a clone. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { CASES } from './cases/index.ts'
import { KIT_VERSION, STATEMENTS } from './interface.ts'
import { MOST_ANIMALS } from './kit.ts'
import type { Verdict } from './reports/report.ts'
import { textReport } from './reports/text-report.ts'
import { type ConformanceOptions, chosenCases, runConformance } from './run.ts'
import { CannotStart, NoBaseUrl } from './verdicts.ts'

interface CheckOptions extends Omit<ConformanceOptions, 'baseUrl'> {
  readonly yes?: true
  readonly json?: true
}

export interface CommandEnvironment {
  readonly print: (text: string) => void
  readonly note: (text: string) => void
}

const VISIBLE_ASCII = /^[!-~]+$/
const EXIT_CODES: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, incomplete: 3 }
const WRONG_USAGE = 2
const COULD_NOT_CHECK = 3

export async function main(args: readonly string[], surroundings: CommandEnvironment): Promise<number> {
  let exitCode = 0
  const command = new Command('pet-adoption-conformance')
    .version(`kit ${KIT_VERSION}`)
    .description('Check an implementation of the API from outside, statement by statement.')
    .argument('<base-url>', 'base address of the API, ending in /v1')
    .addOption(new Option('--key <key>', 'valid key, which is not exhausted').env('PETS_KEY'))
    .addOption(
      new Option('--limited-key <key>', 'another valid key, which the 429 cases exhaust').env('PETS_LIMITED_KEY'),
    )
    .option('--category <id>', 'category that exists (default: that of a listed animal, or 1)', integer)
    .option('--only <names>', 'cases to run, by statement or id, such as R15,limit-1', caseNames)
    .option('--skip <names>', 'cases to skip, by statement or id', caseNames)
    .option('--yes', 'allow the creation of animals')
    .option('--json', 'output as one JSON document')
    .addHelpText(
      'after',
      `\nLeaves at most ${MOST_ANIMALS} animals behind, because the API cannot remove any.\n\n` +
        'Exits with 0 if every requirement is met, 1 if one is broken, 2 on wrong usage, and 3 if not all could be checked.',
    )
    .configureOutput({ writeOut: surroundings.print, writeErr: surroundings.note })
    .exitOverride()
  command.action(async (baseUrl: string, options: Partial<CheckOptions>) => {
    exitCode = await check(baseUrl, assertKeys(options, command), command, surroundings)
  })
  try {
    await command.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : WRONG_USAGE
  }
}

/** Returns the exit code. After Ctrl-C, the results so far are reported. */
async function check(
  baseUrl: string,
  { yes, ...options }: CheckOptions,
  command: Command,
  { print, note }: CommandEnvironment,
): Promise<number> {
  if (chosenCases(options).length === 0) command.error('error: no case is left to run.')
  if (!yes)
    command.error(
      `error: up to ${MOST_ANIMALS} animals will be created and cannot be removed. Add --yes to allow this.`,
    )
  const interrupt = new AbortController()
  const abort = (): void => interrupt.abort()
  process.once('SIGINT', abort)
  try {
    const onProgress = (sentence: string): void => note(`${sentence}\n`)
    const report = await runConformance({ ...options, baseUrl, signal: interrupt.signal, onProgress })
    print(options.json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report))
    return EXIT_CODES[report.verdict]
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    note(`${error.message}\n`)
    return error instanceof NoBaseUrl ? WRONG_USAGE : COULD_NOT_CHECK
  } finally {
    process.off('SIGINT', abort)
  }
}

/** Not an option parser, whose error message would print the key. */
function assertKeys(options: Partial<CheckOptions>, command: Command): CheckOptions {
  const { key, limitedKey } = options
  if (key === undefined) return command.error("error: required option '--key <key>' not specified")
  if (![key, limitedKey ?? key].every((secret) => VISIBLE_ASCII.test(secret)))
    return command.error('error: a key must consist of visible ASCII characters, without spaces.')
  if (limitedKey === key) return command.error('error: --limited-key must differ from --key, because it is exhausted.')
  return { ...options, key }
}

function integer(text: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text)
  throw new InvalidArgumentError('It must be a 64-bit integer.')
}

function caseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter(
    (name) => !STATEMENTS.some((statement) => statement === name) && !CASES.some(({ id }) => id === name),
  )
  if (unknown.length === 0) return names
  throw new InvalidArgumentError(
    `Not a case or statement: ${unknown.join(', ')}. A report prints the ids of the cases.`,
  )
}
