/**
 * Whether something exists at a path, and why it cannot be reached. A folder that cannot be entered is never reported as
 * missing: someone in a hurry would take locked data for lost.
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

/** Throws an ExplainedError if the system does not say. */
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

/** The system's facts about a path; undefined if nothing is there or the system refuses to say. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** What is wrong on the way to `path` and what to do, as a clause; undefined if nothing is. */
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
    // A path that cannot be examined is in a folder that cannot be entered, which is reported first.
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

/** System codes for a file that this user cannot open or create. */
const NO_WAY_IN = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EEXIST', 'ENAMETOOLONG']

/** Whether the system refuses a file or folder permanently, not because the disk is full or failing. */
export function isNoWayIn(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error && NO_WAY_IN.includes(String(error.code))
}

/** More links than these are a loop. */
const MOST_LINKS = 40

/** The file that a path leads to through any links. It need not exist, but its folder must. */
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

/** Why a file cannot be read and what to do, as a clause. */
export function whyUnreadable(error: unknown, path: string): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'there is no such file; check the path'
  if (code === 'EISDIR') return 'it is a folder, not a file'
  const why = whyUnreachable(error, path)
  if (why !== undefined) return why
  return code === 'EACCES' ? `this user (${userName()}) may not read it` : String(code ?? error)
}

/** Why nothing can be created in a folder and what to do, as a clause. */
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
 * Throws an ExplainedError, which begins with `what`, if nothing can be created in the folder that an option names. If it
 * does not exist, the folder above it is tried.
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
