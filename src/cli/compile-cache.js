/**
 * Keeps compiled code between starts, beside the packages of the program: whoever can write there can change its code
 * anyway. Node's default is in the temporary folder that everybody shares. Plain JavaScript, because it runs before
 * Node's type stripping is loaded.
 */
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../node_modules/.pets-compile-cache')

/**
 * Where this user may not write there is no cache; a clone then starts some tenths of a second later, and a package
 * some hundredths. The executable has its code compiled in it.
 */
export function keepCompiledCode() {
  if (process.getBuiltinModule('node:sea').isSea()) return
  try {
    // Node would let a group write in it where the umask does.
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    enableCompileCache(FOLDER)
  } catch {
    // It belongs to somebody else.
  }
}
