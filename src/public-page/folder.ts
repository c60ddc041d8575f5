/**
 * The folder of the page. New content waits in a hidden folder until all of it is synced, and is then renamed over the
 * old files. The many pages of single animals are not synced, but compared by each run.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ExplainedError } from '../common/errors.ts'
import { fsyncFolder } from '../common/fsync.ts'
import { whyUnreachable } from '../common/paths.ts'
import { createFolder } from '../common/private-files.ts'

/** Marks the files that can be replaced. */
export const GENERATOR = 'Written by pets publish'
/** The files that always exist. */
export const NAMES = ['index.html', 'feed.atom', 'animals.json'] as const
/** The other files, except the pages of animals. 2.1 wrote those of statuses and the fragment. */
const MORE =
  /^(?:(?:page|category--?\d+|status-[a-z]+)(?:-\d+)?\.html|sitemap(?:-\d+)?\.xml|(?:page|embed)\.js|style\.css|favicon\.svg|fragment\.html)$/
const ANIMALS = 'animal/'
const STAGING = '.publishing-'

export type NewFile = readonly [path: string, content: string]

/** When a file that was yielded before last changed. */
export type ModifiedMs = (path: string) => number

export class FolderUnusable extends ExplainedError {
  constructor(folder: string, reason: string, cause?: unknown) {
    super(`The public page cannot be written to ${folder}: ${reason}.`, { cause })
  }
}

/** A link or a QR code leads there, also after the animal left. A folder has a thousand pages. */
export function animalPath(id: string): string {
  return `${ANIMALS}${BigInt(id) / 1_000n}/${id}.html`
}

/** Creates the folder if it does not exist. Throws FolderUnusable if the page cannot be in it. */
export function prepareFolder(folder: string): void {
  explaining(folder, () => {
    createFolder(folder, true)
    for (const name of NAMES) if (lstatSync(join(folder, name), { throwIfNoEntry: false })) assertOwn(folder, name)
  })
}

/** Empty if the file does not exist. */
export function readText(folder: string, name: string): string {
  const file = join(folder, name)
  return explaining(folder, () => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
}

/** The ids of the animals that have pages. */
export function animalIds(folder: string): readonly string[] {
  return globSync(`${ANIMALS}*/*.html`, { cwd: folder })
    .map((path) => basename(path, '.html'))
    .filter((id) => /^-?\d+$/.test(id) && existsSync(join(folder, animalPath(id))))
}

/**
 * Writes the changed files in order, removes those of an earlier run, and returns the paths of the former. Throws
 * FolderUnusable, and then changes nothing.
 */
export function writeFiles(
  folder: string,
  files: (modifiedMs: ModifiedMs) => Iterable<NewFile>,
  nowMs: number,
): readonly string[] {
  return explaining(folder, () => {
    prepareFolder(folder)
    for (const name of readdirSync(folder))
      if (name.startsWith(STAGING)) rmSync(join(folder, name), { recursive: true, force: true })
    const paths = new Set<string>()
    const staged = new Map<string, string>()
    let staging: string | undefined
    try {
      for (const [path, text] of files((one) => (staged.has(one) ? nowMs : statSync(join(folder, one)).mtimeMs))) {
        paths.add(path)
        const content = Buffer.from(text)
        if (!needsWriting(folder, path, content)) continue
        staging ??= mkdtempSync(join(folder, STAGING))
        const file = join(staging, String(staged.size))
        staged.set(path, file)
        stage(file, folder, path, content, nowMs)
      }
      for (const [path, file] of staged) renameSync(file, join(folder, path))
    } finally {
      if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
    }
    const hasRemoved = removeOthers(folder, paths)
    if (staged.size > 0 || hasRemoved) fsyncFolder(folder)
    return [...staged.keys()]
  })
}

/** Throws FolderUnusable if another program wrote the file. */
function needsWriting(folder: string, path: string, content: Buffer): boolean {
  const file = join(folder, path)
  if (!existsSync(file)) return true
  const present = readFileSync(file)
  if (present.equals(content)) return false
  // A power failure might have emptied a page that was not synced.
  const isLost = isOfAnimal(path) && present.every((byte) => byte === 0)
  if (!isLost) assertOwn(folder, path)
  return true
}

/** Keeps the mode and the owner of the old file. */
function stage(staged: string, folder: string, path: string, content: Buffer, nowMs: number): void {
  const file = join(folder, path)
  createFolder(dirname(file), true)
  const before = statSync(file, { throwIfNoEntry: false })
  // A new file has the owner of the folder if root writes it.
  const { uid, gid } = before ?? statSync(folder)
  writeFileSync(staged, content, { flush: !isOfAnimal(path) })
  utimesSync(staged, nowMs / 1_000, nowMs / 1_000)
  if (process.getuid?.() === 0) chownSync(staged, uid, gid)
  // Everyone can read a new file, whatever the umask is.
  chmodSync(staged, (before?.mode ?? 0o644) & 0o777)
}

/** Removes what only an earlier run wrote, and returns whether there was such a file. */
function removeOthers(folder: string, paths: ReadonlySet<string>): boolean {
  const written = [...readdirSync(folder).filter((name) => MORE.test(name)), ...animalIds(folder).map(animalPath)]
  const obsolete = written.filter((path) => !paths.has(path) && isOwn(folder, path))
  // 2.1 wrote this next to its fragment, without a mark.
  if (obsolete.includes('fragment.html')) obsolete.push('animals.csv')
  for (const path of obsolete) rmSync(join(folder, path), { force: true })
  // 2.1 wrote `.pages` next to the pages of animals.
  for (const within of new Set(obsolete.filter(isOfAnimal).map((path) => join(folder, dirname(path)))))
    if (readdirSync(within).every((name) => name === '.pages')) rmSync(within, { recursive: true })
  return obsolete.length > 0
}

function isOfAnimal(path: string): boolean {
  return path.startsWith(ANIMALS)
}

/** The list has no mark: it belongs to the page next to it. */
function isOwn(folder: string, path: string): boolean {
  const file = join(folder, path === 'animals.json' ? 'index.html' : path)
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).includes(GENERATOR)
}

function assertOwn(folder: string, path: string): void {
  if (isOwn(folder, path)) return
  const reason = `the ${path} in it was not written by this command; use another folder, or move that file away`
  throw new FolderUnusable(folder, reason)
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

const NOT_ALLOWED = 'this user cannot write there; make this user the owner of the folder and of the page in it'
const REASONS: Readonly<Record<string, string>> = {
  modes: 'its file system has no permissions, such as FAT or exFAT; use a folder on another disk',
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EEXIST: 'it is a file, or is inside a file; use a folder',
  ENOENT: 'it cannot be created, or another process writes to it too; let one process write to one folder',
  ENOSPC: 'the disk is full; free some space',
}
