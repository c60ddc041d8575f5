/** Keeps compiled code between starts. Plain JavaScript, because it runs before Node's type stripping is loaded. */
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../node_modules/.pets-compile-cache')

/** Without permission to write there, each start takes 0.1 s longer. */
export function keepCompiledCode() {
  try {
    // Never writable by a group, whatever the umask.
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    enableCompileCache(FOLDER)
  } catch {
    // It belongs to another user.
  }
}
