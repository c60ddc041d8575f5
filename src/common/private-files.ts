/** Creates private files and folders, whatever the umask. If root creates one, it gets the owner of its folder. */
import { closeSync, fchmodSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf } from './errors.ts'
import { fsyncFolder } from './fsync.ts'

interface Access {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** On Windows mode bits have no meaning, and a file inherits the access list of its folder. */
const HAS_MODES = process.platform !== 'win32'
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const PUBLIC_FOLDER = 0o755

/** An existing file keeps its owner and mode, without access for others. A new file gets the folder's owner. */
export function accessOf(path: string): Access {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o660 }
  const { uid, gid } = statSync(dirname(resolve(path)))
  return { uid, gid, mode: PRIVATE }
}

/** False if the file exists. Throws the system's error. */
export function createFile(path: string, access: Access): boolean {
  let fd: number
  try {
    fd = openSync(path, 'wx', PRIVATE)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    setAccess(fd, access)
  } finally {
    closeSync(fd)
  }
  return true
}

/** Also creates missing parents, and syncs all names. Throws the system's error. */
export function createFolder(folder: string, isPublic = false): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(resolve(folder))
  createFolder(parent, isPublic)
  // With `recursive`, Node retries forever where the system refuses, as in /proc.
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
    return // another process has just created it
  }
  fsyncFolder(parent)
  const { uid, gid } = statSync(parent)
  const fd = HAS_MODES ? openSync(folder, 'r') : undefined
  if (fd === undefined) return
  try {
    setAccess(fd, { uid, gid, mode: isPublic ? PUBLIC_FOLDER : PRIVATE_FOLDER })
  } finally {
    closeSync(fd)
  }
}

/** Only root can change the owner. If the group cannot be set, only the owner gets access. */
function setAccess(fd: number, { uid, gid, mode }: Access): void {
  const own = process.getuid?.()
  if (!HAS_MODES || own === undefined) return
  try {
    fchownSync(fd, own === 0 ? uid : own, gid)
  } catch {
    return
  }
  fchmodSync(fd, mode)
}
