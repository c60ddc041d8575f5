/**
 * Creates files and folders that only their owner can read: databases, lock files, backups, secrets. The mode is 0600
 * (folders 0700) whatever the umask is; public folders are 0755. A file created by root gets the owner of its folder:
 * otherwise a command that root ran once would lock the service out.
 */
import { closeSync, fchmodSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf } from './errors.ts'
import { fsyncFolder } from './fsync.ts'

/** Owner, group and permission bits of a file. */
interface Access {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** On Windows a file inherits the access list of its folder, and mode bits have no meaning. */
const HAS_MODES = process.platform !== 'win32'
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700
const PUBLIC_FOLDER = 0o755

/**
 * The owner and mode for a file at this path. An existing file keeps its own, without access for others. A new one
 * belongs to the folder's owner. Throws the system's error if there is no folder.
 */
export function accessOf(path: string): Access {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o660 }
  const { uid, gid } = statSync(dirname(resolve(path)))
  return { uid, gid, mode: PRIVATE }
}

/** Creates an empty file; false if it exists. Throws the system's error. */
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

/**
 * Creates a folder and its missing parents, and syncs their names, so that acknowledged data in them survives a power
 * failure. Throws the system's error.
 */
export function createFolder(folder: string, isPublic = false): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(resolve(folder))
  createFolder(parent, isPublic)
  // Not `recursive`: with it Node retries forever where the system refuses to create folders, as in /proc.
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
    return // another process has just made it
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
