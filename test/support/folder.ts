/** Temporary folders for tests. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MEMORY = '/dev/shm'
/** In bytes, many times what one file of tests needs. */
const ROOM = 2 ** 31

const folders = new Set<string>()
process.once('exit', () => folders.forEach(removeFolder))

/** It is removed when the process ends. */
export function temporaryFolder(): string {
  return folderIn(tmpdir())
}

/** In memory if there is room: for files whose syncs nobody needs. */
export function memoryFolder(): string {
  return folderIn(isRoomy(MEMORY) ? MEMORY : tmpdir())
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

/** Containers often have only 64 MiB. */
function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > ROOM
}

function folderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, 'pets-'))
  folders.add(folder)
  return folder
}

/** The URL of a SQLite database that does not exist yet. */
export function newDatabase(): string {
  return `sqlite:${temporaryFolder()}/pets.db`
}

/** Changes a SQLite database behind the back of the software. */
export function alter(database: string, sql: string): void {
  using file = new DatabaseSync(database.replace(/^sqlite:/, ''), { timeout: 5_000 })
  file.exec(sql)
}

export function namesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(folder).filter((name) => pattern.test(name))
}
