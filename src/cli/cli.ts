/** All that a command uses of its process: environment, folder, clock and streams. Tests run many in one process. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock } from '../common/clock.ts'
import { codeOf } from '../common/errors.ts'
import { whyUnreadable } from '../common/paths.ts'
import { printableLines } from '../common/printable.ts'
import { userName } from '../common/user.ts'
import type { Author } from '../store/author.ts'
import { asTyped } from './command-name.ts'
import { CommandFailed, DEFAULT_DATABASE } from './options.ts'
import type { RemovedSetting } from './removed.ts'

interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  /** Throws or rejects, for example with EPIPE or ENOSPC. */
  write(text: string): unknown
  /** Destination of the log, if not `write`. */
  readonly log?: { write(line: string): unknown }
  /** Whether standard output is closed or /dev/null. */
  readonly isDiscarded?: boolean
}

const PROGRAM_FOLDER = resolve(import.meta.dirname, '../..')
const DEFAULT_FILE = join('data', 'pets.db')

export interface Io {
  readonly env: Record<string, string | undefined>
  readonly cwd: string
  readonly clock: Clock
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** The folder of the program, which contains the default database. */
  readonly programFolder?: string
  readonly machineSettings?: string
}

/** The reader closed the pipe, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

export class Cli {
  readonly io: Io
  isQuiet = false
  config: string | undefined
  removedSettings: readonly RemovedSetting[] = []

  constructor(io: Io) {
    this.io = io
  }

  get clock(): Clock {
    return this.io.clock
  }

  path(file: string): string {
    return resolve(this.io.cwd, file)
  }

  /** Throws CommandFailed. */
  read(file: string, flag: string): Buffer {
    try {
      return readFileSync(this.path(file))
    } catch (error) {
      throw new CommandFailed(
        `The file ${file} given as ${flag} cannot be read: ${whyUnreadable(error, this.path(file))}.`,
      )
    }
  }

  /** Resolves the path of a sqlite: address. Throws CommandFailed if the default exists only below the current folder. */
  databaseUrl(url: string): string {
    if (url === DEFAULT_DATABASE) {
      const [own, here] = [this.defaultFile, this.path(DEFAULT_FILE)]
      if (existsSync(own) || !existsSync(here)) return `sqlite:${own}`
      throw new CommandFailed(
        `There is a database at ${here}, but none at ${own}, where this program looks. Name the one you mean with --database.`,
      )
    }
    const [, path] = /^sqlite:(?:\/\/)?(.+)$/.exec(url) ?? []
    if (path === undefined) return url
    return `sqlite:${this.path(path.replace(/^~(?=\/|$)/, () => this.#home()))}`
  }

  get defaultFile(): string {
    return join(this.io.programFolder ?? PROGRAM_FOLDER, DEFAULT_FILE)
  }

  /** Throws CommandFailed. */
  #home(): string {
    try {
      return this.io.env.HOME ?? homedir()
    } catch {
      throw new CommandFailed('This user has no home folder, so ~ cannot be used. Write an absolute path.')
    }
  }

  /** Resolves when the system has the text. Throws OutputClosed or CommandFailed. */
  async print(text: string): Promise<void> {
    try {
      await this.io.stdout.write(this.io.stdout.isTTY ? printableLines(text) : text)
    } catch (error) {
      throw toOutputError(error)
    }
  }

  warn(text: string): void {
    this.io.stderr.write(printableLines(asTyped(text)))
  }

  hint(text: string): void {
    if (!this.isQuiet) this.warn(text)
  }

  get showsProgress(): boolean {
    return this.io.stderr.isTTY === true && !this.isQuiet
  }

  /** The author of changes, for the journal. */
  author(): Author {
    return { who: `cli ${userName()}`, atMs: this.clock.now() }
  }
}

export function toOutputError(error: unknown): Error {
  const code = codeOf(error)
  if (code === 'EPIPE' || code === 'ECONNRESET') return new OutputClosed('Standard output is closed.')
  const reason = code === 'ENOSPC' ? 'there is no space left' : error instanceof Error ? error.message : String(error)
  return new CommandFailed(`Standard output cannot be written: ${reason}.`)
}
