/**
 * The kit as a command: `pet-adoption-conformance`, and `pets check` in a clone of the service. It asks before it
 * creates animals.
 */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { CASES } from './cases/index.ts'
import type { Trust } from './http/transport.ts'
import { isStatement, KIT_VERSION, STATEMENTS, type Statement, SUITE_VERSION } from './interface.ts'
import { FEW_ANIMALS } from './kit.ts'
import { htmlReport, junitReport } from './reports/markup-reports.ts'
import type { Report, Verdict } from './reports/report.ts'
import { textReport } from './reports/text-report.ts'
import {
  CannotStart,
  type ConformanceOptions,
  chosenCases,
  MAX_MINUTES,
  NoBaseUrl,
  type Plan,
  type Progress,
  runConformance,
} from './run.ts'

interface CheckOptions extends Omit<ConformanceOptions, 'baseUrl' | 'ids' | 'trust'> {
  readonly yes?: true
  readonly ca?: string
  readonly insecure?: true
  readonly case?: readonly string[]
  readonly json?: true
  readonly junit?: string
  readonly html?: string
  readonly created?: string
}

/** The input and output of the command: those of a process, or of a test. */
export interface CommandEnvironment {
  /** Writes to standard output, and resolves when that is done. */
  readonly print: (text: string) => Promise<void>
  /** Writes to standard error. */
  readonly note: (text: string) => void
  /** Asks the user a question and resolves to the line typed; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly hasColour: boolean
}

/** A key that fits into an Authorization header. */
const VISIBLE_ASCII = /^[!-~]+$/
const EXIT_CODES: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, incomplete: 3 }
const WRONG_USAGE = 2
const COULD_NOT_CHECK = 3
const LONGEST_MINUTES = 24 * 60

/** Runs the command and returns its exit code. */
export async function main(args: readonly string[], surroundings: CommandEnvironment): Promise<number> {
  let exitCode = 0
  const command = checkCommand()
    .configureOutput({ writeOut: (text) => void surroundings.print(text), writeErr: surroundings.note })
    .exitOverride()
    .action(async (baseUrl: string, options: Partial<CheckOptions>) => {
      exitCode = await check(baseUrl, readKeys(options, command), command, surroundings)
    })
  try {
    await command.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : WRONG_USAGE
  }
}

function checkCommand(): Command {
  return new Command('pet-adoption-conformance')
    .version(`kit ${KIT_VERSION}, suite ${SUITE_VERSION}`)
    .description('Check an implementation of the interface from outside, statement by statement.')
    .argument('<base-url>', 'its base address, which ends in /v1')
    .addOption(new Option('--key <key>', 'a valid key; it is not exhausted').env('PETS_KEY'))
    .addOption(
      new Option('--limited-key <key>', 'another key, to be exhausted; without it the 429 cases are not run').env(
        'PETS_LIMITED_KEY',
      ),
    )
    .option('--category <id>', 'a category that exists, where only some do; that of an animal there is, or 1', integer)
    .option('--only <statements>', 'only the cases that cite one of these, such as R15,O4', statements)
    .option('--case <ids>', 'only these cases, by the ids that a report prints', caseIds)
    .option('--skip <ids>', 'all but these cases', caseIds)
    .option('--thorough', 'also the cases that leave animals behind: some two hundred in all, instead of at most five')
    .option('--yes', 'do not ask before animals are left behind')
    .option('--max-minutes <n>', 'end after so many minutes', minutes, MAX_MINUTES)
    .option('--ca <file>', 'trusted CA certificates in PEM, instead of those of the platform')
    .option('--insecure', 'do not verify certificates')
    .option('--json', 'one JSON document instead of text')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--html <file>', 'also write the report as one HTML page')
    .option('--created <file>', 'write the animals that were created, one JSON object a line')
    .addHelpText(
      'after',
      '\nLeaves at most five animals behind, or with --thorough some two hundred, for the interface has no way to remove one.\n' +
        'Before it starts it says how many requests it makes, how long that takes and how the animals are named, and asks;\n' +
        'without a terminal nothing is written unless --yes is given.\n\n' +
        'Exits with 0 when every requirement is met, 1 when one is broken, 2 on wrong usage, and 3 when the check could not\n' +
        'be made, or not in full.',
    )
}

/** Checks a service and returns the exit code. After Ctrl-C, the results so far are reported. */
async function check(
  baseUrl: string,
  options: CheckOptions,
  command: Command,
  surroundings: CommandEnvironment,
): Promise<number> {
  if (chosenCases({ ...options, ids: options.case }).length === 0) command.error('error: no case is left to run.')
  const trust = readTrust(options, command)
  const [flag, unwritable] = filesOf(options).find(([, file]) => file !== undefined && !isWritable(file)) ?? []
  if (flag) command.error(`error: the file ${unwritable} cannot be written; give ${flag} another path.`)
  const interrupt = new AbortController()
  const abort = (): void => interrupt.abort()
  process.once('SIGINT', abort)
  try {
    const report = await runConformance({
      ...options,
      ids: options.case,
      baseUrl,
      trust,
      mayLeaveAnimals: options.yes ? undefined : (plan) => mayLeave(plan, command, surroundings),
      signal: interrupt.signal,
      onProgress: progressLines(surroundings, options.maxMinutes),
    })
    // A run takes minutes: a closed output must not lose the files.
    try {
      const text = options.json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report, surroundings.hasColour)
      await surroundings.print(text)
    } finally {
      for (const [, file, text] of filesOf(options)) if (file !== undefined) await writeFile(file, text(report))
    }
    return EXIT_CODES[report.verdict]
  } catch (error) {
    // A disk may have become full meanwhile.
    const isTold = error instanceof CannotStart || (error instanceof Error && 'syscall' in error)
    if (!isTold) throw error
    surroundings.note(`${error.message}\n`)
    return error instanceof NoBaseUrl ? WRONG_USAGE : COULD_NOT_CHECK
  } finally {
    process.off('SIGINT', abort)
  }
}

/** Asks whether animals may be left behind. Without a terminal it ends with a usage error. */
async function mayLeave({ holdsAnimals }: Plan, command: Command, { ask }: CommandEnvironment): Promise<boolean> {
  if (ask === undefined) command.error('error: no terminal to ask on; add --yes to allow that animals are left behind.')
  const others = holdsAnimals ? 'There are animals already, which may be somebody’s. ' : ''
  return /^y(es)?$/i.test((await ask(`${others}Go on? [y/N] `)).trim())
}

function readKeys(options: Partial<CheckOptions>, command: Command): CheckOptions {
  const { key, limitedKey } = options
  if (key === undefined) return command.error("error: required option '--key <key>' not specified")
  // Not checked by an option parser, because its error message would print the key, which is a secret.
  if (![key, limitedKey ?? key].every((secret) => VISIBLE_ASCII.test(secret)))
    return command.error('error: a key is of visible ASCII characters, without a space.')
  if (limitedKey === key)
    return command.error('error: --limited-key is exhausted, so it must be another key than --key.')
  return { ...options, key }
}

function readTrust({ ca, insecure }: CheckOptions, command: Command): Trust {
  const trust = insecure ? { rejectUnauthorized: false } : {}
  if (ca === undefined) return trust
  try {
    return { ...trust, ca: readFileSync(ca, 'utf8') }
  } catch {
    return command.error(`error: the file ${ca} cannot be read; give --ca one of certificates in PEM.`)
  }
}

/** The files that a run writes when it is over, where they are asked for. */
function filesOf({ junit, html, created }: CheckOptions) {
  const animals = (report: Report) => report.created.animals.map((each) => `${JSON.stringify(each)}\n`).join('')
  return [
    ['--junit', junit, junitReport],
    ['--html', html, htmlReport],
    ['--created', created, animals],
  ] as const
}

function isWritable(file: string): boolean {
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
    return !existsSync(file) || !statSync(file).isDirectory()
  } catch {
    return false
  }
}

function minutes(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= LONGEST_MINUTES) return value
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LONGEST_MINUTES}.`)
}

function integer(text: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text)
  throw new InvalidArgumentError('It must be an integer of 64 bits.')
}

function statements(text: string): readonly Statement[] {
  const names = words(text)
  const unknown = names.filter((name) => !isStatement(name))
  if (unknown.length > 0) {
    const [required, open] = ['R', 'O'].map((letter) => Object.keys(STATEMENTS).findLast((n) => n.startsWith(letter)))
    throw new InvalidArgumentError(
      `There is no statement ${unknown.join(', ')}; they are R1 to ${required} and O1 to ${open}.`,
    )
  }
  const statements = names.filter(isStatement)
  if (chosenCases({ only: statements }).length > 0) return statements
  throw new InvalidArgumentError(`No case cites ${names.join(', ')}: that cannot be seen from outside.`)
}

function caseIds(text: string, before: readonly string[] = []): readonly string[] {
  const ids = words(text)
  const unknown = ids.filter((id) => !CASES.some((each) => each.id === id))
  if (unknown.length === 0) return [...before, ...ids]
  throw new InvalidArgumentError(`There is no case ${unknown.join(', ')}; a report prints the ids of the cases.`)
}

function words(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim())
}

/** Progress on stderr: a line for each section that begins, and for each wait that is long enough to notice. */
function progressLines({ note }: CommandEnvironment, maxMinutes = MAX_MINUTES): (event: Progress) => void {
  const begun = new Set<string>()
  return (event) => {
    if (event.kind === 'plan') note(planText(event, maxMinutes))
    else if (event.kind === 'wait')
      note(`waiting ${Math.ceil(event.ms / 1000)} s for the allowance of the ${event.pool}\n`)
    else if (event.kind === 'case') {
      const { section } = event.case
      if (!begun.has(section)) note(`${section} (case ${event.number} of ${event.total})\n`)
      begun.add(section)
    }
  }
}

function planText({ requests, mostAnimals, namePrefix, usesUp, seconds }: Plan, maxMinutes: number): string {
  const animals = `${mostAnimals === FEW_ANIMALS ? 'at most' : 'some'} ${mostAnimals} animals`
  const minutes = Math.round(seconds / 60)
  const time = seconds < 60 ? 'less than a minute' : `about ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
  const end = minutes > maxMinutes ? ` (it ends after ${maxMinutes}: see --max-minutes)` : ''
  const limited = usesUp ? ' and what the limited key allows' : ''
  return `About ${requests} requests${limited}, in ${time}${end}; leaves ${animals} behind, whose names begin with "${namePrefix}".\n`
}
