/**
 * Keeps compiled code between starts, in a folder that nobody else can write: whoever can write there can run code as
 * this user. Node's default is in the shared temporary folder. Plain JavaScript, because it runs before Node's type
 * stripping is loaded.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const INSTALLED = join(import.meta.dirname, '../../node_modules')
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000
const ROOT = 0

/**
 * Without a safe folder there is no cache; the start then takes some hundredths of a second longer. The executable has
 * its code compiled in it.
 */
export function keepCompiledCode() {
  if (process.getBuiltinModule('node:sea').isSea()) return
  for (const parent of [existsSync(INSTALLED) ? INSTALLED : undefined, userCache()]) {
    const folder = parent && privateFolder(parent, '.pets-compile-cache')
    if (folder === undefined) continue
    enableCompileCache(folder)
    return
  }
}

/** A user may have no name and no HOME. */
function userCache() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME
  try {
    return join(homedir(), '.cache')
  } catch {
    return undefined
  }
}

/**
 * The folder `name` in `parent`, made if need be; undefined unless it and all above it can be changed by this user and
 * root alone. Names in a sticky folder cannot be changed by others either.
 *
 * @param {string} parent
 * @param {string} name
 */
export function privateFolder(parent, name) {
  const user = process.getuid?.()
  // Windows keeps a user's folders for that user; they have no mode to look at.
  if (user === undefined) return undefined
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    const folder = join(realpathSync(parent), name)
    for (let at = dirname(folder); ; at = dirname(at)) {
      const { uid, mode } = lstatSync(at)
      const isFixed = (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0
      if (!isFixed || (uid !== user && uid !== ROOT)) return undefined
      if (at === dirname(at)) break
    }
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch {
      // It exists already, or the next line fails.
    }
    const stats = lstatSync(folder)
    return stats.isDirectory() && stats.uid === user && (stats.mode & 0o077) === 0 ? folder : undefined
  } catch {
    return undefined
  }
}
