/** What commands that read a list share. The reader itself is loaded with a list, and not for the help of commands. */
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadRows, UnreadableFile } from '../../../animals-file/file-errors.ts'
import type { ListJob, ListResult } from '../../../animals-file/lists.ts'
import { BadMapping, isOpen, OPEN, readMapping } from '../../../animals-file/mapping.ts'
import { codeOf } from '../../../common/errors.ts'
import { whyUnreadable } from '../../../common/paths.ts'
import { printable } from '../../../common/printable.ts'
import { figuresText, guardText, skippedText } from '../../../domain/file-outcome.ts'
import { doneWord, sourceOf } from '../../../rules/imports.ts'
import type { Cli } from '../../cli.ts'
import type { Run } from '../../command.ts'
import { CommandFailed, InvalidArgumentError, Option } from '../../options.ts'
import { startProgress } from '../../progress.ts'

/** Worth a progress bar: some 200,000 animals, a second or more. */
const LARGE_BYTES = 4 << 20
const CANDIDATES_SHOWN = 12

interface FileOptions {
  readonly bodyLimit: number
  readonly map?: string | undefined
  readonly yes?: true | undefined
  readonly dryRun?: true | undefined
}

export const MAP = new Option('--map <@file>', 'mapping file, as a proposal prints it').argParser((text) => {
  if (text.startsWith('@') && text.length > 1) return text.slice(1)
  throw new InvalidArgumentError('It must be @ and the name of a file with a mapping.')
})
export const YES = new Option('--yes', 'accept a proposal without open questions, and agree to many changes')

export const SKIP_INVALID = new Option('--skip-invalid', 'skip invalid rows, and report them')

interface ListWork {
  readonly job: Pick<ListJob, 'sync' | 'adopts' | 'withIds' | 'skipInvalid' | 'duplicates'>
  /** Throws CommandFailed if nothing could be done. */
  readonly tell: (result: ListResult) => Promise<void>
}

/** Reads a list for the database, asks what is open, and tells what was done. Throws CommandFailed. */
export async function readList(
  { cli, open: openStore }: Run,
  file: string,
  options: FileOptions,
  { job, tell }: ListWork,
) {
  const isSync = job.sync !== undefined
  const mapping = options.map === undefined ? undefined : await readMap(cli, options.map)
  const { runList } = await import('../../../animals-file/lists.ts')
  const progress = startProgress(cli, isSync ? 'comparing' : 'importing', 0)
  const opened = await openFile(cli, file, isSync).catch((error: unknown) => {
    progress.stop()
    throw error
  })
  try {
    const store = await openStore()
    const before = await opened.stat()
    const { yes: agrees = false, dryRun = false, bodyLimit: rowLimit } = options
    const run = async (more: Partial<ListJob>): Promise<ListResult> => {
      const common = { clock: cli.clock, fd: opened.fd, source: sourceOf(file), rowLimit, by: cli.author(), mapping }
      const result = await runList(store, { ...common, ...job, confirms: agrees, agrees, dryRun, ...more })
      await assertWhole(opened, before)
      return result
    }
    let result = await run({}).finally(() => progress.stop())
    const isAsked = !result.isConfirmed || isRefused(result)
    if (!dryRun && isAsked && isOnTerminal(cli, file)) result = await askAndRun(cli, result, isSync, run)
    tellFindings(cli, result)
    const isClear = result.outcome !== undefined && !isOpen(result.look.lines)
    if (!result.isConfirmed && !(dryRun && isClear)) throw await unconfirmed(cli, result, isSync)
    await tell(result)
    if (!result.isConfirmed) cli.hint('Nobody has confirmed yet how this list is read.\n')
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'read')
      throw unreadable(cli, file, isSync, error)
    throw explained(error, cli, isSync)
  } finally {
    progress.stop()
    await opened.close()
  }
}

function isRefused({ outcome }: ListResult): boolean {
  return outcome !== undefined && 'isRefused' in outcome && outcome.isRefused
}

function isOnTerminal(cli: Cli, file: string): boolean {
  return file !== '-' && cli.io.stdin.isTTY === true && cli.io.stderr.isTTY === true
}

/** Shows the proposal, and asks whether it is right, and before that which new rows are existing animals. */
async function askAndRun(
  cli: Cli,
  result: ListResult,
  isSync: boolean,
  run: (more: Partial<ListJob>) => Promise<ListResult>,
): Promise<ListResult> {
  const { outcome, facts } = result
  if (outcome === undefined || facts === undefined || isOpen(result.look.lines)) return result
  cli.warn(`${proposalText(result)}\n`)
  let adopts: boolean | undefined
  if ('counts' in outcome && outcome.alike > 0)
    adopts = await ask(
      cli,
      `${outcome.alike} new rows look like existing animals, by name and category. Are they the same animals?`,
    )
  const guard = 'counts' in outcome && outcome.guard !== undefined ? `${printable(guardText(outcome.guard))} ` : ''
  const rows = outcome.file.rows
  const question = isSync ? `Make the animals agree with these ${rows} rows?` : `Import ${rows} animals like this?`
  if (!(await ask(cli, `${guard}${question}`))) throw new CommandFailed(`Nothing was ${doneWord(isSync)}.`)
  return run({ confirms: true, agrees: true, ...(adopts !== undefined && { adopts }) })
}

async function ask(cli: Cli, question: string): Promise<boolean> {
  const output = new Writable({ write: (chunk, _encoding, done) => done(void cli.io.stderr.write(String(chunk))) })
  const lines = createInterface({ input: cli.io.stdin, output })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(?:es)?$/i.test(answer.trim())
}

async function unconfirmed(cli: Cli, result: ListResult, isSync: boolean): Promise<CommandFailed> {
  await cli.print(`${proposalText(result)}\n`)
  const open = result.look.lines.filter(({ value }) => value === OPEN).length
  const nothing = `Nothing was ${doneWord(isSync)}.`
  if (open > 0) {
    const lines = open === 1 ? 'One line above has a ?.' : `${open} lines above have a ?.`
    return new CommandFailed(`${lines} Save the lines in a file, replace each ?, and add --map @FILE. ${nothing}`)
  }
  const how = 'If the proposal is right, run the command again with --yes, or on a terminal.'
  return new CommandFailed(`Nobody has confirmed yet how this list is read. ${how} ${nothing}`)
}

/** The mapping as text for --map, with what each line means, and the result in figures. */
export function proposalText({ look, facts, outcome }: ListResult): string {
  const lines = look.lines.flatMap(({ key, value, shows, candidates }) => {
    const some = candidates.slice(0, CANDIDATES_SHOWN).map(({ value, shows }) => `#   ${value}${shows && `: ${shows}`}`)
    const isOpen = value === OPEN
    const what = shows === '' ? [] : [`# ${shows}`]
    return [...what, ...(isOpen && some.length > 0 ? ['# one of', ...some] : []), `${key} = ${value}`.trimEnd()]
  })
  const figures =
    facts === undefined ? [] : [`# ${figuresText(facts)}.`, ...skippedText(facts).map((one) => `# ${one}`)]
  const names = [...(outcome?.file.newCategories.values() ?? [])]
  const categories = names.length === 0 ? [] : [`# New categories: ${names.join(', ')}.`]
  return [`# Read as ${look.format}.`, ...lines, ...figures, ...categories].map(printable).join('\n')
}

function tellFindings(cli: Cli, { look, facts, kept }: ListResult): void {
  const by = {
    own: '',
    given: '',
    proposal: '',
    ready: look.by.kind === 'ready' ? ` as ${look.by.name} writes it` : '',
    kept: kept === undefined ? '' : ` as ${kept.who} confirmed on ${new Date(kept.atMs).toISOString().slice(0, 10)}`,
  }
  cli.hint(`Read as ${look.format}${by[look.by.kind]}.\n`)
  for (const { line, text } of facts?.problems ?? []) cli.warn(`${titled(facts?.unit)} ${line}: ${printable(text)}.\n`)
  const more = (facts?.badRows ?? 0) - (facts?.problems.length ?? 0)
  if (more > 0) cli.warn(`… and ${more} more.\n`)
  for (const text of [...look.notes, ...(facts === undefined ? [] : skippedText(facts))])
    cli.hint(`${printable(text)}\n`)
}

async function readMap(cli: Cli, name: string): Promise<string> {
  const text = await readFile(cli.path(name), 'utf8').catch((error: unknown) => {
    throw new CommandFailed(`The mapping file ${name} cannot be read: ${whyUnreadable(error, cli.path(name))}.`)
  })
  try {
    readMapping(text)
  } catch (error) {
    throw error instanceof BadMapping ? new CommandFailed(error.message) : error
  }
  return text
}

/** A file that can be read at any place. A pipe or standard input is copied into a file without a name. */
async function openFile(cli: Cli, file: string, isSync: boolean): Promise<FileHandle> {
  if (file === '-') {
    return kept(cli.io.stdin, (error) => new CommandFailed(`Standard input cannot be read: ${codeOf(error)}.`))
  }
  const toFailure = (error: unknown) => unreadable(cli, file, isSync, error)
  const opened = await open(cli.path(file)).catch((error: unknown) => {
    throw toFailure(error)
  })
  const stats = await opened.stat()
  if (stats.isDirectory()) {
    await opened.close()
    throw new CommandFailed(`${file} is a folder, not a file. Nothing was ${doneWord(isSync)}.`)
  }
  if (stats.size >= LARGE_BYTES) leaveCores()
  return stats.isFile() ? opened : kept(opened.createReadStream(), toFailure)
}

function unreadable(cli: Cli, file: string, isSync: boolean, error: unknown): CommandFailed {
  const why = whyUnreadable(error, cli.path(file))
  return new CommandFailed(`The file ${file} cannot be read: ${why}. Nothing was ${doneWord(isSync)}.`)
}

async function kept(bytes: Readable, toFailure: (error: unknown) => CommandFailed): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-list-'))
  try {
    const copy = await open(join(folder, 'list'), 'wx+', 0o600)
    await pipeline(bytes, createWriteStream('', { fd: copy.fd, autoClose: false })).catch((error: unknown) => {
      throw toFailure(error)
    })
    bytes.destroy()
    return copy
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Throws CommandFailed if someone wrote to the file while it was read. */
export async function assertWhole(file: FileHandle, before: Awaited<ReturnType<FileHandle['stat']>>): Promise<void> {
  const after = await file.stat()
  if (before.size === after.size && before.mtimeMs === after.mtimeMs) return
  throw new CommandFailed('The file changed while it was read. Nothing was done. Try again once it is complete.')
}

/** Lowers the priority, so that a service on the same cores keeps more of its rate. */
function leaveCores(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // some sandboxes forbid it
}

function titled(unit: BadRows['unit'] = 'line'): string {
  return unit === 'line' ? 'Line' : 'Object'
}

function explained(error: unknown, cli: Cli, isSync: boolean): unknown {
  if (error instanceof UnreadableFile || error instanceof BadMapping)
    return new CommandFailed(`${error.message} Nothing was ${doneWord(isSync)}.`)
  if (!(error instanceof BadRows)) return error
  for (const { line, text } of error.problems) cli.warn(`${titled(error.unit)} ${line}: ${printable(text)}.\n`)
  if (error.badRows > error.problems.length) cli.warn(`… and ${error.badRows - error.problems.length} more.\n`)
  return new CommandFailed(`${error.message} ${error.advice}${error.maySkip ? ' with --skip-invalid' : ''}.`)
}
