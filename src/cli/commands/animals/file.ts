/**
 * What commands that read a file of animals share: how it is opened and read, and how its bad rows are told. What reads
 * lists is loaded when one is read, and not for the help of every command.
 */
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { BadMapping, type Mapping, mappingOf, readRules, rulesOf } from '../../../animals-file/mapping.ts'
import type { AnimalsFile } from '../../../animals-file/read.ts'
import { BadRows, type ReadOptions, UnreadableFile } from '../../../animals-file/row.ts'
import { codeOf, isSystemError } from '../../../common/errors.ts'
import { whyUnreachable, whyUnreadable } from '../../../common/paths.ts'
import { printable } from '../../../common/printable.ts'
import { doneWord, sourceOf } from '../../../rules/imports.ts'
import type { StagedFile } from '../../../store/staging.ts'
import type { Store } from '../../../store/store.ts'
import type { Cli } from '../../cli.ts'
import type { Run } from '../../command.ts'
import { CommandFailed, InvalidArgumentError, Option } from '../../options.ts'
import { type Progress, startProgress } from '../../progress.ts'

/** Worth a progress bar: some 200,000 animals, a second or more. */
const LARGE_BYTES = 4 << 20

interface OpenedFile {
  readonly chunks: AsyncIterable<Buffer>
  readonly progress: Progress
  /** To be called in the end: an open pipe would keep the command from ending. */
  readonly close: () => Promise<void>
}

interface FileOptions {
  readonly bodyLimit: number
  readonly map: readonly string[]
  readonly category?: string | undefined
  readonly writeMap?: string | undefined
  readonly newCategories?: true | undefined
}

interface FileWork<Outcome> {
  /** How the file is read besides. */
  readonly how: Partial<ReadOptions>
  readonly run: (store: Store, reading: AnimalsFile, source: string) => Promise<Outcome>
  /** Once it is done. */
  readonly tell: (outcome: Outcome, reading: AnimalsFile) => Promise<void>
}

/** Reads a file of animals for the database, and tells what was understood. Throws CommandFailed, or what the store throws. */
export async function readAnimals<Outcome extends { readonly file: StagedFile }>(
  { cli, open }: Run,
  file: string,
  options: FileOptions,
  { how, run, tell }: FileWork<Outcome>,
): Promise<void> {
  if (options.writeMap !== undefined) {
    await createMap(cli, options.writeMap)
    await rm(cli.path(options.writeMap))
  }
  const { isSync } = how
  const { chunks, progress, close } = await openFile(cli, file, isSync)
  const source = sourceOf(file)
  try {
    const store = await open()
    const mapping = await parseMapping(cli, options.map, options.category)
    const { AnimalsFile } = await import('../../../animals-file/read.ts')
    const { categoriesFor } = await import('../../../animals-file/categories.ts')
    const categories = await categoriesFor(store.categories, options.newCategories ?? false)
    const all = { rowLimit: options.bodyLimit, withIds: false, mapping, categories, source, ...how }
    const reading = new AnimalsFile(chunks, all)
    const onRead = () => {
      progress.stop()
      printFindings(cli, reading)
    }
    try {
      const outcome = await run(store, reading, source)
        .then((outcome) => reading.accept(outcome))
        .finally(onRead)
      await tell(outcome, reading)
    } catch (error) {
      throw explainReadFailure(error, reading, mapping, isSync)
    } finally {
      await writeMap(cli, options.writeMap, mapping, reading)
    }
  } finally {
    progress.stop()
    await close()
  }
}

/** A file, or what gives bytes as one does, such as a named pipe; `-` is standard input. Throws CommandFailed. */
async function openFile(cli: Cli, file: string, isSync = false): Promise<OpenedFile> {
  const [doing, done] = [isSync ? 'comparing' : 'importing', doneWord(isSync)]
  if (file === '-') {
    const { stdin } = cli.io
    const progress = startProgress(cli, doing, 0)
    const toFailure = (error: unknown) => new CommandFailed(`Standard input cannot be read: ${codeOf(error)}.`)
    return { chunks: watched(stdin, progress, toFailure), progress, close: async () => void stdin.destroy() }
  }
  const toFailure = (error: unknown) => {
    const why = whyUnreadable(error, cli.path(file))
    return new CommandFailed(`The file ${file} cannot be read: ${why}; nothing was ${done}.`)
  }
  const opened = await open(cli.path(file)).catch((error: unknown) => {
    throw toFailure(error)
  })
  const stats = await opened.stat()
  if (stats.isDirectory()) {
    await opened.close()
    throw new CommandFailed(`${file} is a folder, not a file; nothing was ${done}.`)
  }
  if (stats.size >= LARGE_BYTES) leaveCores()
  const progress = startProgress(cli, doing, stats.size)
  return { chunks: watched(wholeFile(opened), progress, toFailure), progress, close: () => opened.close() }
}

/**
 * The bytes of a file, on the condition that nobody writes to it while it is read: half a list is a wrong list. Throws
 * CommandFailed behind the last of them. What is no file of a disk, such as a pipe, ends where it ends.
 */
export async function* wholeFile(file: FileHandle): AsyncIterable<Buffer> {
  const before = await file.stat()
  yield* file.createReadStream({ autoClose: false })
  const after = await file.stat()
  if (!before.isFile() || (before.size === after.size && before.mtimeMs === after.mtimeMs)) return
  throw new CommandFailed('The file was written to while it was read; nothing was done. Try again when it is whole.')
}

/**
 * Lowers the priority, so that a service on the same cores keeps more of its rate. Costs nothing where a core is free.
 */
function leaveCores(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // some sandboxes forbid it
}

/** `toFailure` explains why the system does not read on. */
async function* watched(
  bytes: AsyncIterable<Buffer>,
  progress: Progress,
  toFailure: (error: unknown) => CommandFailed,
): AsyncIterable<Buffer> {
  try {
    for await (const chunk of bytes) {
      progress.advance(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw isSystemError(error) ? toFailure(error) : error
  }
}

/** The mapping of what was given: `category` is that of all animals. Throws BadMapping. */
async function parseMapping(cli: Cli, map: readonly string[], category: string | undefined): Promise<Mapping> {
  const mapping = await mappingOf(map, (name) => cli.path(name))
  return category === undefined ? mapping : readRules(['category=', `category:=${category}`], mapping)
}

/** The options that say how a file is read. */
export const MAP = new Option(
  '--map <rules>',
  'columns and words of other systems: name=Animal Name,status:adopted=sold, or @FILE with a rule on each line',
)
  .argParser(checkedRules)
  .default<readonly string[]>([], 'none')
export const CATEGORY = new Option('--category <name>', 'the category of all animals, where no column says it')
export const WRITE_MAP = new Option(
  '--write-map <file>',
  'write how the file is read, and what is to be said, to a new file for --map @FILE',
)

/** Throws InvalidArgumentError unless these are rules of `--map`. */
function checkedRules(text: string, before: readonly string[]): readonly string[] {
  try {
    if (!text.startsWith('@')) readRules(text.split(','))
    return [...before, text]
  } catch (error) {
    throw error instanceof BadMapping ? new InvalidArgumentError(error.message) : error
  }
}

/**
 * Creates the file of `--write-map`. Called once before the import too, empty: where it cannot be written nothing is
 * imported. Throws CommandFailed.
 */
async function createMap(cli: Cli, to: string, text = ''): Promise<void> {
  await writeFile(cli.path(to), text, { flag: 'wx' }).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST')
      throw new CommandFailed(`The file ${to} of --write-map is there already; name another.`)
    const why = whyUnreachable(error, cli.path(to)) ?? 'check its folder'
    throw new CommandFailed(`The file ${to} of --write-map cannot be written: ${why}.`)
  })
}

/** Writes what a file was read with, or what is to be completed. Throws CommandFailed. */
async function writeMap(cli: Cli, to: string | undefined, mapping: Mapping, { facts }: AnimalsFile): Promise<void> {
  const { openRules: question, guessedRules: guess } = facts
  if (to === undefined) return
  const rules = question.length > 0 ? [...rulesOf(mapping), ...question] : rulesOf(readRules(guess, mapping))
  await createMap(cli, to, rules.map((rule) => `${rule}\n`).join(''))
  cli.hint(`Written, for --map @${to}.\n`)
}

/** Why nothing was done; the error itself where the file is not what is wrong. */
function explainReadFailure(error: unknown, reading: AnimalsFile, mapping: Mapping, isSync = false): unknown {
  if (error instanceof UnreadableFile) {
    return new CommandFailed(`${error.message}\n${questionText(reading, mapping)}Nothing was ${doneWord(isSync)}.`)
  }
  if (!(error instanceof BadRows)) return error
  // What is not understood is asked about: the advice to skip rows would leave out all animals of one status.
  const question = questionText(reading, mapping)
  const advice = `${error.advice}${isSync ? '' : ' with --skip-invalid'}.`
  return new CommandFailed(question === '' ? `${error.message} ${advice}` : `${question}${error.message}`)
}

/** What is not understood, as a mapping to complete; empty if all is. */
function questionText({ facts }: AnimalsFile, mapping: Mapping): string {
  const { openRules: question } = facts
  if (question.length === 0) return ''
  const rules = [...rulesOf(mapping), ...question].map((rule) => `    ${printable(rule)}\n`)
  return `Say what each ? means, keep these lines in a file, and name it with --map @FILE (--write-map FILE writes it):\n${rules.join('')}`
}

/** Tells what was understood, the first bad rows, and what a person should know of the file. */
function printFindings(cli: Cli, { understood, notes, problems, badRows }: AnimalsFile): void {
  if (understood !== undefined) cli.hint(`${understood}\n`)
  for (const { line, text } of problems) cli.warn(`Line ${line}: ${text}.\n`)
  if (badRows > problems.length) cli.warn(`… and ${badRows - problems.length} more.\n`)
  for (const { text } of notes) cli.hint(`${text}\n`)
}
