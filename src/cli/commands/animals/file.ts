/** What commands that read a file of animals share: how it is opened, and how its bad rows are told. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { InvalidArgumentError } from 'commander'
import type { FileImport } from '../../../animals-file/import.ts'
import { BadMapping, readMapping } from '../../../animals-file/mapping.ts'
import { CommandFailed } from '../../options.ts'
import { hint, note } from '../../output.ts'
import { type Progress, startProgress } from '../../progress.ts'

/** Worth a progress bar: some 200,000 animals, a second or more. */
const LARGE_BYTES = 4 << 20

interface OpenedFile {
  /** To be destroyed in the end: an open pipe would keep the command from ending. */
  readonly bytes: Readable
  readonly chunks: AsyncIterable<Buffer>
  readonly progress: Progress
}

/** `-` is standard input. `doing` and `done` say what is done with the animals. Throws CommandFailed. */
export async function openFile(file: string, doing: string, done: string): Promise<OpenedFile> {
  const size = file === '-' ? 0 : await sizeOf(file, done)
  if (size >= LARGE_BYTES) leaveCores()
  const progress = startProgress(doing, size)
  const bytes = file === '-' ? process.stdin : createReadStream(file)
  return { bytes, chunks: watched(bytes, progress), progress }
}

/**
 * Lowers the priority, so that a service on the same cores keeps more of its rate. Costs nothing where a core is free.
 */
function leaveCores(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {} // some sandboxes forbid it
}

async function sizeOf(file: string, done: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile()) return found.size
  throw new CommandFailed(`The file ${file} does not exist or cannot be read; nothing was ${done}.`)
}

async function* watched(bytes: AsyncIterable<Buffer>, progress: Progress): AsyncIterable<Buffer> {
  for await (const chunk of bytes) {
    progress.advance(chunk.length)
    yield chunk
  }
}

/** Whether these are rules of `--map`. Throws InvalidArgumentError. */
export function checkRules(text: string): void {
  try {
    readMapping(text)
  } catch (error) {
    throw error instanceof BadMapping ? new InvalidArgumentError(error.message) : error
  }
}

/** Tells what was understood, the first bad rows, and what a person should know of the file. */
export function report({ understood, notes, told }: FileImport, tell = note): void {
  if (understood !== undefined) hint(`${understood}\n`)
  for (const line of told) tell(line)
  for (const { text, advice } of notes) hint(advice === undefined ? `${text}\n` : `${text}\n${advice}\n`)
}
