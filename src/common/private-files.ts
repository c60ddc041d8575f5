/**
 * Creates files and folders that only their owner can read: databases, lock files, backups, secrets. The mode is 0600
 * (folders 0700) whatever the umask is, or 0640 (0750) if a group may read; public folders are 0755. A file created by
 * root gets the owner of its folder, so that a command that root ran once does not lock the service out.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
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
const GROUP_READS = 0o040
const PRIVATE_FOLDER = 0o700
/** On a folder a group needs to read and search, in place of read access to a file. */
const GROUP_ENTERS = 0o050
const ALL_ENTER = 0o055

/**
 * The owner and mode for a file at this path. An existing file keeps its own, without access for others. A new one
 * belongs to the folder's owner, and `group` may read it. Throws the system's error if there is no folder.
 */
export function accessOf(path: string, group?: number): Access {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o660 }
  const { uid, gid } = statSync(dirname(resolve(path)))
  return { uid, gid: group ?? gid, mode: group === undefined ? PRIVATE : PRIVATE | GROUP_READS }
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
export function createFolder(folder: string, group?: number, isPublic = false): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(resolve(folder))
  createFolder(parent, group, isPublic)
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
    const others = isPublic ? ALL_ENTER : group === undefined ? 0 : GROUP_ENTERS
    setAccess(fd, { uid, gid: group ?? gid, mode: PRIVATE_FOLDER | others })
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

/** Whether anyone but the owner has access; `group` may read. */
export function isAccessibleToOthers({ mode, gid }: Stats, group?: number): boolean {
  if (!HAS_MODES) return false
  return (mode & 0o007) !== 0 || (mode & 0o070 & ~(gid === group ? GROUP_ENTERS : 0)) !== 0
}

/** The id of a local group, given by name or number; undefined if there is none. */
export function groupId(name: string): number | undefined {
  if (/^\d{1,9}$/.test(name)) return Number(name)
  if (!existsSync('/etc/group')) return undefined
  for (const line of readFileSync('/etc/group', 'utf8').split('\n')) {
    const [group, , number] = line.split(':')
    if (group === name && number !== undefined) return Number(number)
  }
  return undefined
}
