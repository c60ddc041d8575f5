/** Whether a path exists, and why it cannot be reached: then it is never reported as missing. */
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

/** Throws an ExplainedError if the path cannot be reached. */
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

/** Undefined if the path is missing or cannot be reached. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Why `path` cannot be reached and what to do, as a clause; undefined if it can. */
export function whyUnreachable(error: unknown, path: string): string | undefined {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'it leads through a loop of links'
  if (code === 'ENAMETOOLONG') return 'its name is too long'
  if (code === 'EIO') return 'its disk reports an error (EIO); check the system log'
  if (code === 'EROFS') {
    return isSandboxed(path) ? '`ReadWritePaths=` of the unit does not include it' : 'its disk is read-only'
  }
  if (code !== 'EACCES' && code !== 'ENOTDIR') return undefined
  for (const above of foldersAbove(path)) {
    // A path in a folder that cannot be entered has no stats, so that folder is reported first.
    if (statsOf(above)?.isDirectory() === false) return `${above} is a file, not a folder; check the path`
    if (!mayEnter(above))
      return `this user (${userName()}) cannot enter the folder ${above}; run this as a user who can`
  }
  return undefined
}

/** Whether systemd mounted the folder read-only for this process alone (`ProtectSystem=`). */
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

const NO_WAY_IN = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EEXIST', 'ENAMETOOLONG']

/** Whether the system refuses permanently, unlike on a full or failing disk. */
export function isNoWayIn(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error && NO_WAY_IN.includes(String(error.code))
}

const MOST_LINKS = 40

/** The file behind all links, which need not exist. Its folder must exist. */
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

/** As a clause with what to do. */
export function whyUnreadable(error: unknown, path: string): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'it does not exist; check the path'
  if (code === 'EISDIR') return 'it is a folder, not a file'
  const why = whyUnreachable(error, path)
  if (why !== undefined) return why
  return code === 'EACCES' ? `this user (${userName()}) cannot read it` : String(code ?? error)
}

export function whyUnwritable(error: unknown, folder: string): string {
  const code = codeOf(error)
  const why = whyUnreachable(error, join(folder, '.'))
  if (why !== undefined) return why
  if (code === 'EACCES' || code === 'EPERM') return `this user (${userName()}) cannot write in ${folder}`
  return code === 'ENOTDIR'
    ? `${folder} is a file, not a folder`
    : `nothing can be created in ${folder} (${code ?? error})`
}

/** Throws an ExplainedError that begins with `what`. A missing folder will be created, so the folder above is tried. */
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
