/**
 * Keeps compiled code between starts, beside the packages of the program: whoever can write there can change its code
 * anyway. Node's default is in the temporary folder that everybody shares. Plain JavaScript, because it runs before
 * Node's type stripping is loaded.
 */
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../node_modules/.pets-compile-cache')

/** If this user cannot write there, no cache is kept, and each start takes 0.1 s longer. */
export function keepCompiledCode() {
  try {
    // Node would let a group write in it where the umask does.
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    enableCompileCache(FOLDER)
  } catch {
    // It belongs to somebody else.
  }
}
