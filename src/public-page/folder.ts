/**
 * The folder of the page, which may hold other files too. New content is written under hidden names, and then renamed
 * over the old files, so a reader never gets half a file. The lists are synced before: after a crash each is the old or
 * the new one. Pages of single animals, which may be very many, are not synced, but compared by each run.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ExplainedError } from '../common/errors.ts'
import { fsyncFolder } from '../common/fsync.ts'
import { whyUnreachable } from '../common/paths.ts'
import { createFolder } from '../common/private-files.ts'
import { animalPath, GENERATOR } from './document.ts'

/** Those that are always there. All files but the list hold the mark GENERATOR. */
export const NAMES = ['index.html', 'feed.atom', 'animals.json'] as const
/** The list bears no sign. */
const LIST = 'animals.json'
/** The other pages, whose number varies with the animals, and what they load. 2.1 wrote those of statuses and the fragment. */
const MORE =
  /^(?:(?:page|category--?\d+|status-[a-z]+)(?:-\d+)?\.html|sitemap(?:-\d+)?\.xml|(?:page|embed)\.js|style\.css|favicon\.svg|fragment\.html)$/
/** The folder of the folders of single animals, and what 2.1 kept in each. */
const ANIMALS = 'animal'
const ANIMAL = /^(-?\d+)\.html$/
const SIGNATURE = '.pages'
/** Left over by a run that was interrupted. */
const PARTIAL = /^\.(.+)\.[0-9a-f]{16}\.partial$/
/** Everybody may read what is public, whatever the umask is. */
const MODE = 0o644

/** The folder cannot take the page, for a reason that a person can mend. */
export class FolderUnusable extends ExplainedError {
  constructor(folder: string, reason: string, cause?: unknown) {
    super(`The public page cannot be written to ${folder}: ${reason}.`, { cause })
  }
}

/** Makes the folder unless it is there. Throws FolderUnusable where the page has no place in it. */
export function prepareFolder(folder: string): void {
  explaining(folder, () => {
    createFolder(folder, true)
    assertNotForeign(folder)
  })
}

/** The text of a file that is there; empty if there is none. */
export function readText(folder: string, name: string): string {
  const file = join(folder, name)
  return explaining(folder, () => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
}

/** A file to be: its name in the folder. */
export type NewFile = readonly [name: string, content: string]

/** When the content of a file changed last, of one that was taken already. */
export type ModifiedMs = (name: string) => number

/** The paths of the folders of single animals that are there. */
function shelvesIn(folder: string): readonly string[] {
  const within = join(folder, ANIMALS)
  if (statSync(within, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const entries = readdirSync(within, { withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isDirectory() && /^-?\d+$/.test(entry.name) ? `${ANIMALS}/${entry.name}` : [],
  )
}

/** The numbers of the animals whose pages are there. */
export function animalIds(folder: string): readonly string[] {
  return explaining(folder, () =>
    shelvesIn(folder).flatMap((shelf) =>
      readdirSync(join(folder, shelf)).flatMap((file) => {
        const [, id] = ANIMAL.exec(file) ?? []
        return id !== undefined && animalPath(id) === `${shelf}/${file}` ? id : []
      }),
    ),
  )
}

/**
 * `files` come in the order of their renaming, and are taken one by one. Earlier ones that are not among them are
 * removed. Returns the names of the files that changed. Throws FolderUnusable, and then changes nothing.
 */
export function writeFiles(
  folder: string,
  files: (modifiedMs: ModifiedMs) => Iterable<NewFile>,
  nowMs: number,
): readonly string[] {
  return explaining(folder, () => {
    prepareFolder(folder)
    for (const within of ['', ...shelvesIn(folder)]) removePartials(join(folder, within))
    const names = new Set<string>()
    const replacing = new Replacing(folder, nowMs)
    try {
      for (const one of files((name) => replacing.modifiedMs(name))) {
        replacing.prepare(one)
        names.add(one[0])
      }
      replacing.replace()
    } catch (error) {
      replacing.forget()
      throw error
    }
    const hasRemoved = removeOthers(folder, names)
    if (replacing.names.size > 0 || hasRemoved) fsyncFolder(folder)
    return [...replacing.names]
  })
}

/** Removes what an earlier run wrote and this one did not, and tells whether there was such a file. */
function removeOthers(folder: string, names: ReadonlySet<string>): boolean {
  const lists = readdirSync(folder).filter((name) => MORE.test(name))
  const written = [...lists, ...animalIds(folder).map(animalPath)]
  const obsolete = written.filter((name) => !names.has(name) && isSigned(folder, name))
  // 2.1 wrote this beside its fragment, without a sign.
  if (obsolete.includes('fragment.html')) obsolete.push('animals.csv')
  for (const name of obsolete) rmSync(join(folder, name), { force: true })
  for (const shelf of shelvesIn(folder).map((path) => join(folder, path))) {
    rmSync(join(shelf, SIGNATURE), { force: true })
    if (readdirSync(shelf).length === 0) rmdirSync(shelf)
  }
  return obsolete.length > 0
}

/** Files that get new content, all of it written beside them before the first is replaced. */
class Replacing {
  readonly names = new Set<string>()
  readonly #folder: string
  /** A new file has the owner of the folder if root writes it. */
  readonly #usual: Pick<Stats, 'mode' | 'uid' | 'gid'>
  readonly #run = randomBytes(8).toString('hex')
  readonly #nowMs: number

  constructor(folder: string, nowMs: number) {
    const { uid, gid } = statSync(folder)
    this.#folder = folder
    this.#nowMs = nowMs
    this.#usual = { mode: MODE, uid, gid }
  }

  modifiedMs(name: string): number {
    return this.names.has(name) ? this.#nowMs : statSync(join(this.#folder, name)).mtimeMs
  }

  #partialOf(name: string): string {
    return join(this.#folder, dirname(name), `.${basename(name)}.${this.#run}.partial`)
  }

  /** Keeps the mode and the owner of the file before. Throws FolderUnusable for a file of somebody else. */
  prepare([name, text]: NewFile): void {
    const content = Buffer.from(text)
    const file = join(this.#folder, name)
    const isSynced = !name.startsWith(`${ANIMALS}/`)
    if (!isSynced) createFolder(dirname(file), true)
    const before = statSync(file, { throwIfNoEntry: false })
    if (before !== undefined) {
      const published = readFileSync(file)
      if (published.equals(content)) return
      // What is not synced may have lost its content when the power failed.
      const isLost = !isSynced && published.every((byte) => byte === 0)
      if (!isLost && name !== LIST && !isSigned(this.#folder, name)) throw foreign(this.#folder, name)
    }
    this.names.add(name)
    const partial = this.#partialOf(name)
    const { mode, uid, gid } = before ?? this.#usual
    writeFileSync(partial, content, { mode: mode & 0o777, flush: isSynced })
    utimesSync(partial, this.#nowMs / 1_000, this.#nowMs / 1_000)
    if (process.getuid?.() === 0) chownSync(partial, uid, gid)
    chmodSync(partial, mode & 0o777)
  }

  replace(): void {
    for (const name of this.names) renameSync(this.#partialOf(name), join(this.#folder, name))
  }

  forget(): void {
    for (const name of this.names) rmSync(this.#partialOf(name), { force: true })
  }
}

function removePartials(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, of = ''] = PARTIAL.exec(name) ?? []
    if (MORE.test(of) || ANIMAL.test(of) || NAMES.some((one) => one === of)) rmSync(join(folder, name), { force: true })
  }
}

/** Throws FolderUnusable for a file that `pets publish` has not written, and would replace. */
function assertNotForeign(folder: string): void {
  const existing = NAMES.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined)
  const signed = existing.filter((name) => name !== LIST)
  // The list is that of the pages beside it.
  const foreignFile = signed.find((name) => !isSigned(folder, name)) ?? (signed.length === 0 ? existing[0] : undefined)
  if (foreignFile !== undefined) throw foreign(folder, foreignFile)
}

function foreign(folder: string, name: string): FolderUnusable {
  const reason = `the ${name} in it is not of this command; name another folder, or move that file away`
  return new FolderUnusable(folder, reason)
}

function isSigned(folder: string, name: string): boolean {
  return lstatSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(GENERATOR)
}

function explaining<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const isOfModes = error.code === 'EPERM' && 'syscall' in error && error.syscall === 'chmod'
    const known = REASONS[isOfModes ? 'modes' : String(error.code)]
    throw new FolderUnusable(folder, whyUnreachable(error, folder) ?? known ?? error.message, error)
  }
}

const NOT_ALLOWED = 'this user may not write there; give the folder, and what it holds of the page, to this user'
const FULL = "the disk is full, or this user's part of it; make room"
const REASONS: Readonly<Record<string, string>> = {
  modes: 'its file system has no permissions, as with FAT and exFAT; name a folder on another disk',
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EEXIST: 'it is a file, or lies in one; name a folder',
  ENOENT: 'it cannot be made there, or another process writes to it too; let one process write to one folder',
  ENOSPC: FULL,
  EDQUOT: FULL,
}
