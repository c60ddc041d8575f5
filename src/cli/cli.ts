/**
 * A command's access to its process: environment, folder, clock and streams. Results go to standard output, messages
 * for people to standard error. Commands use nothing else of the process, so that tests run many of them in one.
 */
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
  /** The width of the terminal; undefined elsewhere. */
  readonly columns?: number | undefined
  /** Throws, or rejects with, the system's error: EPIPE where nobody reads any more, ENOSPC on a full disk. */
  write(text: string): unknown
  /** Destination of the log, if not `write`. */
  readonly log?: { write(line: string): unknown }
  /** Whether the output is lost: standard output is closed, or /dev/null. */
  readonly isDiscarded?: boolean
}

const PROGRAM_FOLDER = resolve(import.meta.dirname, '../..')
const DEFAULT_FILE = join('data', 'pets.db')

/** The surroundings of a command. */
export interface Io {
  readonly env: Record<string, string | undefined>
  /** The base of relative paths. */
  readonly cwd: string
  readonly clock: Clock
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** The folder of the program, in which the default database lies. */
  readonly programFolder?: string
  /** Path of the machine's settings file; /etc/pets.conf if undefined. */
  readonly machineSettings?: string
}

/** The reader of standard output has closed the pipe, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

export class Cli {
  readonly io: Io
  /** By `--quiet`: no hints and no progress. */
  isQuiet = false
  /** By `--config`: the settings file. */
  config: string | undefined
  /** Removed settings in the settings file and the environment. */
  removedSettings: readonly RemovedSetting[] = []

  constructor(io: Io) {
    this.io = io
  }

  get clock(): Clock {
    return this.io.clock
  }

  /** Resolves a path from the command line. */
  path(file: string): string {
    return resolve(this.io.cwd, file)
  }

  /** Reads a file named by `flag`. Throws CommandFailed. */
  read(file: string, flag: string): Buffer {
    try {
      return readFileSync(this.path(file))
    } catch (error) {
      const why = whyUnreadable(error, this.path(file))
      throw new CommandFailed(`The file ${file} given as ${flag} cannot be read: ${why}.`)
    }
  }

  /**
   * Resolves the path in a sqlite: address. `~` is the home folder, and `sqlite://PATH` is the same as `sqlite:PATH`.
   * Throws CommandFailed if the default is meant, and lies in the current folder instead.
   */
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

  /** Path of the default database. */
  get defaultFile(): string {
    return join(this.io.programFolder ?? PROGRAM_FOLDER, DEFAULT_FILE)
  }

  /** Throws CommandFailed. */
  #home(): string {
    try {
      return this.io.env.HOME ?? homedir()
    } catch {
      throw new CommandFailed('This user has no home folder, so ~ is none: write the path from the root.')
    }
  }

  /** Resolves when the text has been handed to the system; a terminal gets it printable. Throws OutputClosed, or CommandFailed if it cannot be. */
  async print(text: string): Promise<void> {
    try {
      await this.io.stdout.write(this.io.stdout.isTTY ? printableLines(text) : text)
    } catch (error) {
      throw toOutputError(error)
    }
  }

  /** Writes errors and warnings to standard error, printable. */
  warn(text: string): void {
    this.io.stderr.write(printableLines(asTyped(text)))
  }

  /** Writes a hint to standard error, unless `--quiet` is given. */
  hint(text: string): void {
    if (!this.isQuiet) this.warn(text)
  }

  /** Progress is shown only where standard error is a terminal. */
  get showsProgress(): boolean {
    return this.io.stderr.isTTY === true && !this.isQuiet
  }

  /** The author of this command's changes, for the journal. */
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
