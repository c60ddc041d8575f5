/**
 * The folder of the page, which may hold other files too. New content is written and synced under hidden names, and
 * then renamed over the old files. So a reader never gets half a file, and after a crash each file is the old or the
 * new one. Unchanged files are not touched.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ExplainedError } from '../common/errors.ts'
import { fsyncFile, fsyncFolder } from '../common/fsync.ts'
import { whyUnreachable } from '../common/paths.ts'
import { createFolder } from '../common/private-files.ts'
import { GENERATOR } from './page.ts'

/** In the order of renaming. Those of HTML and XML hold the mark GENERATOR. */
export const NAMES = ['index.html', 'fragment.html', 'feed.atom', 'animals.json', 'animals.csv'] as const
export type Files = Readonly<Record<(typeof NAMES)[number], readonly string[]>>
const SIGNED: readonly string[] = NAMES.slice(0, 3)
/** The other pages, whose number varies with the animals, and the script of the search. */
const MORE = /^(?:(?:page|category--?\d+|status-[a-z]+)(?:-\d+)?\.html|search\.js)$/
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
    createFolder(folder, undefined, true)
    assertNotForeign(folder)
  })
}

/** The text of a file that is there; empty if there is none. */
export function readText(folder: string, name: keyof Files): string {
  return explaining(folder, () => readIfThere(join(folder, name))?.toString() ?? '')
}

/**
 * `more` are the other pages; earlier ones that are not among them are removed. Returns the names of the files that
 * changed. Throws FolderUnusable, and then changes nothing.
 */
export function writeFiles(
  folder: string,
  files: Files,
  more: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly string[] {
  return explaining(folder, () => {
    createFolder(folder, undefined, true)
    removePartials(folder)
    const made: { readonly partial: string; readonly name: string }[] = []
    try {
      const named = NAMES.map((name) => [name, files[name]] as const)
      // The pages that others lead to come first.
      for (const [name, pieces] of [...more, ...named]) {
        const content = Buffer.from(pieces.join(''))
        if (readIfThere(join(folder, name))?.equals(content)) continue
        if (made.length === 0) assertNotForeign(folder, more)
        const partial = join(folder, `.${name}.${randomBytes(8).toString('hex')}.partial`)
        made.push({ partial, name })
        writeFileSync(partial, content, { flag: 'wx', mode: MODE })
        giveAccess(partial, statSync(join(folder, name), { throwIfNoEntry: false }), statSync(folder))
        fsyncFile(partial)
      }
      for (const { partial, name } of made) renameSync(partial, join(folder, name))
      const gone = readdirSync(folder).filter((name) => MORE.test(name) && !more.has(name) && isSigned(folder, name))
      for (const name of gone) rmSync(join(folder, name))
      if (made.length + gone.length > 0) fsyncFolder(folder)
    } catch (error) {
      for (const { partial } of made) rmSync(partial, { force: true })
      throw error
    }
    return made.map(({ name }) => name)
  })
}

function removePartials(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, of = ''] = PARTIAL.exec(name) ?? []
    if (MORE.test(of) || NAMES.some((one) => one === of)) rmSync(join(folder, name), { force: true })
  }
}

/** A new file has the mode of the one before; when root writes it, also its owner, or that of the folder. */
function giveAccess(file: string, before: Stats | undefined, folder: Stats): void {
  if (process.getuid?.() === 0) chownSync(file, (before ?? folder).uid, (before ?? folder).gid)
  chmodSync(file, before === undefined ? MODE : before.mode & 0o777)
}

/** Throws FolderUnusable for a file that `pets publish` has not written, and would replace. */
function assertNotForeign(folder: string, more: ReadonlyMap<string, unknown> = new Map()): void {
  const there = [...NAMES, ...more.keys()].filter(
    (name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined,
  )
  const isToBeSigned = (name: string) => SIGNED.includes(name) || more.has(name)
  const foreign = there.find((name) => isToBeSigned(name) && !isSigned(folder, name))
  const lists = there.some(isToBeSigned) ? undefined : there[0]
  const found = foreign ?? lists
  if (found === undefined) return
  throw new FolderUnusable(
    folder,
    `the ${found} in it is not of this command; name another folder, or move that file away`,
  )
}

function isSigned(folder: string, name: string): boolean {
  return lstatSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(GENERATOR)
}

function readIfThere(file: string): Buffer | undefined {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(file)
}

function explaining<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new FolderUnusable(
      folder,
      whyUnreachable(error, folder) ?? REASONS[String(error.code)] ?? error.message,
      error,
    )
  }
}

const NOT_ALLOWED = 'this user may not write there; give the folder, and what it holds of the page, to this user'
const FULL = "the disk is full, or this user's part of it; make room"
const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'its disk can only be read; name another folder',
  EEXIST: 'it is a file, or lies in one; name a folder',
  ENOENT: 'it cannot be made there, or another process writes to it too; let one process write to one folder',
  ENOSPC: FULL,
  EDQUOT: FULL,
}
