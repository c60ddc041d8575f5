/**
 * The kit as a command: `pets check` of the service and the kit's own program (main.ts) are this one. It prints through
 * who runs it, and tells them what they got wrong by commander's own errors.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { CASES } from './cases/index.ts'
import type { Trust } from './http/transport.ts'
import { FEW_ANIMALS } from './kit.ts'
import { replay } from './replay.ts'
import { htmlReport } from './reports/html-report.ts'
import { junitReport } from './reports/junit-report.ts'
import { matrixPage } from './reports/matrix.ts'
import { NoReport, readReport, type SavedReport } from './reports/read-report.ts'
import type { Report, Verdict } from './reports/report.ts'
import { textReport } from './reports/text-report.ts'
import {
  CannotStart,
  type ConformanceOptions,
  chosenCases,
  type Progress,
  parseBaseUrl,
  runConformance,
} from './run.ts'
import { isStatement, type Statement } from './statements.ts'

interface CheckOptions extends Omit<ConformanceOptions, 'baseUrl' | 'ids' | 'trust'> {
  readonly yes?: true
  readonly ca?: string
  readonly insecure?: true
  readonly case?: readonly string[]
  readonly json?: true
  readonly junit?: string
  readonly html?: string
  readonly created?: string
  readonly replay?: string
}

/** What an Authorization header can carry as one word. */
const VISIBLE_ASCII = /^[!-~]{2,}$/
const EXIT_CODES: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, incomplete: 3 }
const COULD_NOT_CHECK = 3
const LONGEST_MINUTES = 24 * 60

interface CheckSurroundings {
  /** Writes to standard output, and resolves when that is done. */
  readonly print: (text: string) => Promise<void>
  /** The error by which a command ends with a sentence and exit code 1. */
  readonly failure: (sentence: string) => Error
}

export function checkCommand(surroundings: CheckSurroundings): Command {
  return new Command('check')
    .description('Check an implementation of the interface from outside, statement by statement.')
    .argument('[base-url]', 'its base address, which ends in /v1; with --replay a case of the report')
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
    .option('--thorough', 'ask also what leaves animals behind: some two hundred in all, in place of at most five')
    .option('--yes', 'do not ask first where there are animals already')
    .option('--max-minutes <n>', 'when to end, whatever is left', minutes, 10)
    .option('--ca <file>', 'a file of certificates in PEM to believe, in the place of those that the platform knows')
    .option('--insecure', 'believe any certificate')
    .option('--json', 'one JSON document instead of text')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--html <file>', 'also write the report as one HTML page')
    .option('--created <file>', 'write the animals that were created, one JSON object a line')
    .option('--replay <report>', 'send a failure of a JSON report again, to the address that it names')
    .addHelpText(
      'after',
      '\nLeaves at most five animals behind, or with --thorough some two hundred, and says before how they are named.\n' +
        'Exits with 0 when every requirement is met, 1 when one is broken, 2 on wrong usage, and 3 when the check could not\n' +
        'be made, or not in full.',
    )
    .action((target: string | undefined, options: Partial<CheckOptions>, command: Command) => {
      const checked = { ...options, key: readKey(options, command) }
      return options.replay === undefined
        ? check(readBaseUrl(target, command), checked, command, surroundings)
        : replayFailure(options.replay, target, checked, surroundings)
    })
    .addCommand(matrixCommand(surroundings))
}

function matrixCommand({ print, failure }: CheckSurroundings): Command {
  return new Command('matrix')
    .description('Put JSON reports side by side, on one HTML page.')
    .argument('<reports...>', 'files that --json has written; each is named as its file')
    .action(async (files: readonly string[]) => {
      const reports = files.map(async (file) => ({ name: basename(file, '.json'), report: await read(file, failure) }))
      await print(matrixPage(await Promise.all(reports)))
    })
}

async function check(
  baseUrl: string,
  options: CheckOptions,
  command: Command,
  { print, failure }: CheckSurroundings,
): Promise<void> {
  if (chosenCases({ ...options, ids: options.case }).length === 0) command.error('error: no case is left to run.')
  const trust = await readTrust(options, failure)
  const mayLeaveAnimals = options.yes ? undefined : () => ask(command)
  const report = await run({ ...options, ids: options.case, baseUrl, trust, mayLeaveAnimals })
  if (report === undefined) return
  const colour = process.stdout.isTTY && process.env.NO_COLOR === undefined
  process.exitCode = EXIT_CODES[report.verdict]
  // A run takes minutes: a file that cannot be written does not lose the report, nor a closed output the files.
  try {
    await print(options.json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report, colour))
  } finally {
    await writeFiles(report, options, failure)
  }
}

/** Ends as wrong usage where there is nobody to ask. */
async function ask(command: Command): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    command.error('error: there are animals already, which may be somebody’s; add --yes to leave these beside them.')
  }
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question('There are animals already. Go on? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

async function replayFailure(
  file: string,
  caseId: string | undefined,
  options: CheckOptions,
  { print, failure }: CheckSurroundings,
): Promise<void> {
  const { key, limitedKey } = options
  const [report, trust] = [await read(file, failure), await readTrust(options, failure)]
  const shown = await unlessNothingToAsk(replay({ report, caseId, secrets: { key, limitedKey }, trust }))
  if (shown !== undefined) await print(shown)
}

async function read(file: string, failure: CheckSurroundings['failure']): Promise<SavedReport> {
  try {
    return await readReport(file)
  } catch (error) {
    throw error instanceof NoReport ? failure(error.message) : error
  }
}

/** Undefined, after a sentence on stderr, where there is nothing to ask or nobody answers. */
async function unlessNothingToAsk<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = COULD_NOT_CHECK
    return undefined
  }
}

function readKey({ key, limitedKey }: Partial<CheckOptions>, command: Command): string {
  if (key === undefined) return command.error("error: required option '--key <key>' not specified")
  // Not by a parser of the option: what that refuses is repeated on the terminal, and this is a secret.
  if (![key, limitedKey ?? key].every((secret) => VISIBLE_ASCII.test(secret)))
    return command.error('error: a key is two or more visible ASCII characters, without a space.')
  if (limitedKey === key)
    return command.error('error: --limited-key is exhausted, so it must be another key than --key.')
  return key
}

function readBaseUrl(text: string | undefined, command: Command): string {
  if (text === undefined) return command.error("error: missing required argument 'base-url'")
  const parsed = parseBaseUrl(text)
  if ('problems' in parsed)
    return command.error(`error: '${text}' is invalid for argument 'base-url'. ${parsed.problems.join(' ')}`)
  return text
}

/**
 * Runs the kit; what is known by a Ctrl-C is reported. Undefined, after a sentence on stderr, when there is nothing to
 * check.
 */
async function run(options: ConformanceOptions): Promise<Report | undefined> {
  const interrupt = new AbortController()
  const abort = (): void => interrupt.abort()
  process.once('SIGINT', abort)
  const progress = new ProgressLine()
  const asked = runConformance({
    ...options,
    signal: interrupt.signal,
    onProgress: (event) => progress.show(event),
  })
  try {
    return await unlessNothingToAsk(asked.finally(() => progress.stop()))
  } finally {
    process.off('SIGINT', abort)
  }
}

async function readTrust({ ca, insecure }: CheckOptions, failure: CheckSurroundings['failure']): Promise<Trust> {
  const certificates =
    ca === undefined
      ? {}
      : {
          ca: await readFile(ca, 'utf8').catch(() => {
            throw failure(`The file ${ca} cannot be read; give --ca one of certificates in PEM.`)
          }),
        }
  return { ...certificates, ...(insecure && { rejectUnauthorized: false }) }
}

async function writeFiles(
  report: Report,
  { junit, html, created }: CheckOptions,
  failure: CheckSurroundings['failure'],
): Promise<void> {
  const lines = report.created.animals.map((animal) => `${JSON.stringify(animal)}\n`)
  const files = [
    ['--junit', junit, () => junitReport(report)],
    ['--html', html, () => htmlReport(report)],
    ['--created', created, () => lines.join('')],
  ] as const
  for (const [flag, file, text] of files) {
    if (file === undefined) continue
    await writeFile(file, text()).catch(() => {
      throw failure(`The file ${file} cannot be written; give ${flag} another path.`)
    })
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
  const named = words(text)
  const unknown = named.filter((name) => !isStatement(name))
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`There is no statement ${unknown.join(', ')}; they are R1 to R18 and O1 to O25.`)
  }
  const known = named.filter(isStatement)
  if (chosenCases({ only: known }).length > 0) return known
  throw new InvalidArgumentError(`No case cites ${named.join(', ')}: that cannot be seen from outside.`)
}

function caseIds(text: string, before: readonly string[] = []): readonly string[] {
  const named = words(text)
  const unknown = named.filter((id) => !CASES.some((each) => each.id === id))
  if (unknown.length === 0) return [...before, ...named]
  throw new InvalidArgumentError(`There is no case ${unknown.join(', ')}; a report prints the ids of the cases.`)
}

function words(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim())
}

/**
 * What the run is about, on stderr: on a terminal one line that changes, elsewhere a line for each section and for each
 * wait that somebody who reads along would wonder about.
 */
class ProgressLine {
  readonly #isTerminal = process.stderr.isTTY
  #said = ''

  show(event: Progress): void {
    if (event.kind === 'plan') {
      const { requests, mostAnimals, namePrefix, usesUp } = event
      const animals = `${mostAnimals === FEW_ANIMALS ? 'at most' : 'some'} ${mostAnimals} animals`
      const limited = usesUp ? ' and what the limited key allows' : ''
      process.stderr.write(
        `About ${requests} requests${limited}; leaves ${animals} behind, whose names begin with "${namePrefix}".\n`,
      )
    } else if (event.kind === 'case') {
      const { number, total } = event
      if (this.#isTerminal) this.#line(`${number}/${total} ${event.case.title}`)
      else this.#once(`${event.case.section} (case ${number} of ${total})`, event.case.section)
    } else if (event.kind === 'wait') {
      const text = `waiting ${Math.ceil(event.ms / 1000)} s for the allowance of the ${event.pool}`
      if (this.#isTerminal) this.#line(text)
      else process.stderr.write(`${text}\n`)
    }
  }

  stop(): void {
    if (this.#isTerminal) process.stderr.write('\r\u001b[K')
  }

  #line(text: string): void {
    process.stderr.write(`\r\u001b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  }

  #once(text: string, about: string): void {
    if (about === this.#said) return
    this.#said = about
    process.stderr.write(`${text}\n`)
  }
}
