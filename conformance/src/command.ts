/** The kit as a command: `pet-adoption-conformance`, and `pets check` in a clone. It creates animals only with `--yes`. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { CASES } from './cases/index.ts'
import { KIT_VERSION, STATEMENTS } from './interface.ts'
import { MOST_ANIMALS } from './kit.ts'
import type { Verdict } from './reports/report.ts'
import { textReport } from './reports/text-report.ts'
import { type ConformanceOptions, chosenCases, MAX_MINUTES, runConformance } from './run.ts'
import { CannotStart, NoBaseUrl } from './verdicts.ts'

interface CheckOptions extends Omit<ConformanceOptions, 'baseUrl'> {
  readonly yes?: true
  readonly json?: true
}

/** The output of the command: that of a process, or of a test. */
export interface CommandEnvironment {
  /** Writes to standard output. */
  readonly print: (text: string) => void
  /** Writes to standard error. */
  readonly note: (text: string) => void
}

/** A key that fits into an Authorization header. */
const VISIBLE_ASCII = /^[!-~]+$/
const EXIT_CODES: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, incomplete: 3 }
const WRONG_USAGE = 2
const COULD_NOT_CHECK = 3

/** Runs the command and returns its exit code. */
export async function main(args: readonly string[], surroundings: CommandEnvironment): Promise<number> {
  let exitCode = 0
  const command = new Command('pet-adoption-conformance')
    .version(`kit ${KIT_VERSION}`)
    .description('Check an implementation of the interface from outside, statement by statement.')
    .argument('<base-url>', 'base address, which ends in /v1')
    .addOption(new Option('--key <key>', 'valid key; it is not exhausted').env('PETS_KEY'))
    .addOption(
      new Option('--limited-key <key>', 'another key, to be exhausted for the 429 cases').env('PETS_LIMITED_KEY'),
    )
    .option('--category <id>', 'category that exists; by default that of a listed animal, or 1', integer)
    .option('--only <names>', 'only these cases, by statement or by id, such as R15,limit-1', caseNames)
    .option('--skip <names>', 'all cases except these', caseNames)
    .option('--yes', 'allow the creation of animals')
    .option('--max-minutes <n>', 'end after so many minutes', minutes, MAX_MINUTES)
    .option('--json', 'one JSON document instead of text')
    .addHelpText(
      'after',
      `\nLeaves at most ${MOST_ANIMALS} animals behind, because the interface has no way to remove one.\n\n` +
        'Exits with 0 when every requirement is met, 1 when one is broken, 2 on wrong usage, and 3 when the check could not\n' +
        'be made, or not in full.',
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

/** Checks a service and returns the exit code. After Ctrl-C, the results so far are reported. */
async function check(
  baseUrl: string,
  { yes, ...options }: CheckOptions,
  command: Command,
  { print, note }: CommandEnvironment,
): Promise<number> {
  if (chosenCases(options).length === 0) command.error('error: no case is left to run.')
  if (!yes) command.error(`error: up to ${MOST_ANIMALS} animals will be created and stay there; add --yes to allow it.`)
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

/** Not checked by an option parser, because its error message would print the key, which is a secret. */
function assertKeys(options: Partial<CheckOptions>, command: Command): CheckOptions {
  const { key, limitedKey } = options
  if (key === undefined) return command.error("error: required option '--key <key>' not specified")
  if (![key, limitedKey ?? key].every((secret) => VISIBLE_ASCII.test(secret)))
    return command.error('error: a key must be visible ASCII characters, without a space.')
  if (limitedKey === key) return command.error('error: --limited-key is exhausted, so it must not be --key.')
  return { ...options, key }
}

function minutes(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (value >= 1) return value
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.')
}

function integer(text: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text)
  throw new InvalidArgumentError('It must be an integer of 64 bits.')
}

function caseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !Object.hasOwn(STATEMENTS, name) && !CASES.some(({ id }) => id === name))
  if (unknown.length === 0) return names
  throw new InvalidArgumentError(
    `There is no case or statement ${unknown.join(', ')}; a report prints the ids of the cases.`,
  )
}
