/** Copies programs to where the user that servers run as can execute them: not inside a folder of mode 0700 of root. */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { notAsRoot } from './servers/servers.ts'

const LOCK_FILE = resolve(import.meta.dirname, '../../package-lock.json')

/** The folder itself if that user can read it, or a copy for each version of the lock file. */
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
    // Another file of the run has just created it. If it belongs to someone else, only this process uses this copy.
    if (!isOurs(copy)) {
      process.once('exit', () => rmSync(made, { recursive: true, force: true }))
      return made
    }
    rmSync(made, { recursive: true })
  }
  return copy
}

function isOpen(folder: string): boolean {
  const parent = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpen(parent))
}

/** The temporary folder is shared, so someone else could have created it. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}
