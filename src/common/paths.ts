/**
 * Whether something is at a path, and why it cannot be reached: what cannot be entered is never taken for what is not
 * there, or a person in a hurry takes locked data for lost.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, ExplainedError, isSystemError } from './errors.ts'
import { userName } from './user.ts'

class PathUnreachable extends ExplainedError {}

/** Throws an ExplainedError where it cannot be known. */
export function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const why = whyUnreachable(error, path)
    if (why === undefined) return false
    throw new PathUnreachable(`${path} cannot be reached: ${why}.`, { cause: error })
  }
}

/** What the system knows of what is at a path; undefined where nothing is, or where it cannot be looked at. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** What is wrong on the way to `path`, with what to do, as a clause; undefined if the way is open. */
export function whyUnreachable(error: unknown, path: string): string | undefined {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'links on its way lead back to themselves'
  if (code === 'ENAMETOOLONG') return 'its name is too long'
  if (code === 'EIO') return 'its disk reports an error (EIO); look at the system’s log'
  if (code === 'EROFS') {
    return isSandboxed(path) ? '`ReadWritePaths=` of the unit does not include it' : 'its disk can only be read'
  }
  if (code !== 'EACCES' && code !== 'ENOTDIR') return undefined
  for (const above of foldersAbove(path)) {
    // What cannot be looked at lies in a folder that cannot be entered, which is told first.
    if (statsOf(above)?.isDirectory() === false) return `${above} is a file, not a folder; check the path`
    if (!mayEnter(above))
      return `this user (${userName()}) may not enter the folder ${above}; run this as a user who may`
  }
  return undefined
}

/**
 * Whether systemd started this process, and mounted the folder read-only for it alone (`ProtectSystem=`): then the disk
 * below that mount is writable.
 */
function isSandboxed(path: string): boolean {
  if (process.env.INVOCATION_ID === undefined) return false
  const folders = foldersAbove(join(path, 'x'))
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const [options, disk] =
    mounts
      .map((mount) => mount.split(' '))
      .filter(([, , , , point = '']) => folders.includes(point))
      .sort(([, , , , a = ''], [, , , , b = '']) => a.length - b.length)
      .map((fields) => [fields[5], fields.at(-1)])
      .at(-1) ?? []
  return /^ro\b/.test(options ?? '') && /^rw\b/.test(disk ?? '')
}

/** Codes of the system for a file that this user may not open or make. */
const NO_WAY_IN = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EEXIST', 'ENAMETOOLONG']

/** Whether the system refuses a file or a folder for good: not for want of room, or for a disk that fails. */
export function isNoWayIn(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error && NO_WAY_IN.includes(String(error.code))
}

/** More links than these are a loop. */
const MOST_LINKS = 40

/** The file itself, whatever links it was named by, also one that is not there yet. Its folder must be. */
export function realFile(path: string, links = 0): string {
  if (existsSync(path)) return realpathSync(path)
  const target = links < MOST_LINKS ? linkTarget(path) : undefined
  return target === undefined ? join(realpathSync(dirname(path)), basename(path)) : realFile(target, links + 1)
}

function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path))
  } catch {
    return undefined // it is no link
  }
}

/** Why a file cannot be read, with what to do, as a clause. */
export function whyUnreadable(error: unknown, path: string): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'there is no such file; check the path'
  if (code === 'EISDIR') return 'it is a folder, not a file'
  const why = whyUnreachable(error, path)
  if (why !== undefined) return why
  return code === 'EACCES' ? `this user (${userName()}) may not read it` : String(code ?? error)
}

/** Why nothing can be made in a folder, with what to do, as a clause. */
export function whyUnwritable(error: unknown, folder: string): string {
  const code = codeOf(error)
  const why = whyUnreachable(error, join(folder, '.'))
  if (why !== undefined) return why
  if (code === 'EACCES' || code === 'EPERM') return `this user (${userName()}) may not write in ${folder}`
  return code === 'ENOTDIR'
    ? `${folder} is a file, not a folder`
    : `nothing can be made in ${folder} (${code ?? error})`
}

/**
 * Throws an ExplainedError, which begins with `what`, if nothing can be made in the folder that an option names. A folder
 * that does not exist will be made, so the one above it is tried.
 */
export function assertWritable(folder: string, what: string, flag: string): void {
  let existing = resolve(folder)
  while (!isThere(existing)) existing = dirname(existing)
  try {
    rmdirSync(mkdtempSync(join(existing, '.pets-')))
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new ExplainedError(`${what} ${folder} given as ${flag}: ${whyUnwritable(error, existing)}.`)
  }
}

/** From the root down. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(resolve(path))
  return above === dirname(above) ? [above] : [...foldersAbove(above), above]
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch (error) {
    return codeOf(error) !== 'EACCES'
  }
}
