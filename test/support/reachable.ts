/**
 * Makes programs executable for the user that servers run as when the tests run as root. Inside a folder of mode 0700
 * that user cannot execute anything, so the programs are copied to a folder where it can.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { notAsRoot } from './servers/servers.ts'

const LOCK_FILE = resolve(import.meta.dirname, '../../package-lock.json')

/**
 * The folder itself where the other user can read it, or a copy that is made once for each version of the lock file.
 */
export function reachable(folder: string): string {
  if (notAsRoot.uid === undefined || isOpen(folder)) return folder
  const version = hash('sha256', readFileSync(LOCK_FILE, 'utf8') + folder.split('node_modules').at(-1)).slice(0, 16)
  const copy = join(tmpdir(), `pets-programs-${version}`)
  if (isOurs(copy)) return copy
  const made = mkdtempSync(`${copy}-`)
  execFileSync('cp', ['-RP', `${folder}/.`, made])
  execFileSync('chmod', ['-R', 'a+rX,go-w', made])
  try {
    renameSync(made, copy)
  } catch {
    // Another file of the run has just created it; or it belongs to somebody else, and then this copy is used by this
    // process only.
    if (!isOurs(copy)) {
      process.once('exit', () => rmSync(made, { recursive: true, force: true }))
      return made
    }
    rmSync(made, { recursive: true })
  }
  return copy
}

/** Whether every user may enter the folder and all of its parents. */
function isOpen(folder: string): boolean {
  const parent = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpen(parent))
}

/** Nobody else may have created it: the temporary folder is shared. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}
