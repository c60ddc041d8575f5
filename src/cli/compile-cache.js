/**
 * Keeps compiled code between starts, in a folder that nobody else can write: whoever could put files there would run code
 * as this user. Node's own default lies in the temporary folder, which everybody shares. Plain JavaScript, since it comes
 * before the code that takes the types out of TypeScript.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const INSTALLED = join(import.meta.dirname, '../../node_modules')
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000
const ROOT = 0

/** Where no folder is safe there is no cache; the start is then some hundredths of a second slower. */
export function keepCompiledCode() {
  for (const parent of [INSTALLED, process.env.XDG_CACHE_HOME || join(homedir(), '.cache')]) {
    const folder = privateFolder(parent, '.pets-compile-cache')
    if (folder === undefined) continue
    enableCompileCache(folder)
    return
  }
}

/**
 * The folder `name` in `parent`, made if need be; undefined unless it and all above it can be changed by this user and root
 * alone. Names in a sticky folder cannot be changed by others either.
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
      // It is there already, or the next line finds that it is not.
    }
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0 ? folder : undefined
  } catch {
    return undefined
  }
}
