/** The backups in a folder that services have made by themselves, known by their names. */
import { readdirSync } from 'node:fs'
import { basename, extname } from 'node:path'

interface MadeBackup {
  readonly name: string
  readonly atMs: number
}

/** What the names of the backups of the database at `path` begin with. */
export function stemOf(path: string): string {
  return `${basename(path, extname(path))}-`
}

/** Oldest first, without those that are dated later than now. */
export function backupsIn(folder: string, stem: string, nowMs: number): readonly MadeBackup[] {
  try {
    return readdirSync(folder)
      .map((name) => ({ name, atMs: timeOf(name, stem) }))
      .filter((one): one is MadeBackup => one.atMs !== undefined && one.atMs <= nowMs)
      .toSorted((a, b) => a.atMs - b.atMs)
  } catch {
    return [] // there is no folder yet, or what is wrong with it is told when a backup is made
  }
}

/** When a backup of this name was made; undefined when the name is not one of ours. */
export function timeOf(name: string, stem: string): number | undefined {
  if (!name.startsWith(stem)) return undefined
  const [, day, hour, minute, second] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(stem.length)) ?? []
  const atMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(atMs) ? undefined : atMs
}
