/** Temporary folders for tests. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MEMORY = '/dev/shm'
/** In bytes: of what one file of tests keeps there, many times over. */
const ROOM = 2 ** 31

const folders = new Set<string>()
process.once('exit', () => folders.forEach(removeFolder))

/** A new folder, which is removed when the process ends. */
export function temporaryFolder(): string {
  return folderIn(tmpdir())
}

/** The same in memory where the system has such a folder, and room in it: for files whose syncs nobody needs. */
export function memoryFolder(): string {
  return folderIn(isRoomy(MEMORY) ? MEMORY : tmpdir())
}

/** Sooner: for what is made again and again in one process. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

/** Containers often have 64 MiB of it. */
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

/** The URL of a new SQLite database, which is not there yet, in a folder of its own. */
export function newDatabase(): string {
  return `sqlite:${temporaryFolder()}/pets.db`
}

/** Changes a SQLite database, by its path or URL, behind the back of the software. */
export function alter(database: string, sql: string): void {
  using file = new DatabaseSync(database.replace(/^sqlite:/, ''), { timeout: 5_000 })
  file.exec(sql)
}

export function namesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(folder).filter((name) => pattern.test(name))
}
