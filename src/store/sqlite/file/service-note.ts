/** What a service announces to commands in PATH.service, as long as it has its lock. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isSystemError } from '../../../common/errors.ts'
import { realFile } from '../../../common/paths.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import type { ServiceNote } from '../../maintenance.ts'
import { isServed } from './file-lock.ts'

interface FileNote extends ServiceNote {
  /** The id of the open file (wal.ts). */
  readonly file: string | undefined
}

/** On a full disk there is no note. */
export function noteService(path: string, note: FileNote): void {
  const file = noteFile(path)
  try {
    createFile(file, accessOf(realFile(path)))
    writeFileSync(file, JSON.stringify(note))
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

export function forgetService(path: string): void {
  rmSync(noteFile(path), { force: true })
}

/** Undefined if no service runs; empty if it has not announced anything. */
export function readServiceNote(path: string): Partial<FileNote> | undefined {
  if (!isServed(path)) return undefined
  try {
    return JSON.parse(readFileSync(noteFile(path), 'utf8'))
  } catch {
    return {} // there is none, or it is being written
  }
}

function noteFile(path: string): string {
  return `${realFile(path)}.service`
}
