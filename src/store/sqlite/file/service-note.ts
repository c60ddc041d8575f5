/**
 * What a running service says of itself to commands, as JSON in PATH.service: it holds as long as the service has its
 * lock (file-lock.ts), however it ends.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isSystemError } from '../../../common/errors.ts'
import { realFile } from '../../../common/paths.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import type { ServiceNote } from '../../maintenance.ts'
import { isServed } from './file-lock.ts'

interface FileNote extends ServiceNote {
  /** The id of the file that the service has open (wal.ts). */
  readonly file: string | undefined
}

/** On a full disk nothing is noted. */
export function noteService(path: string, note: FileNote): void {
  const file = noteFile(path)
  try {
    createFile(file, accessOf(realFile(path)))
    writeFileSync(file, JSON.stringify(note))
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

/** Takes back what a service has noted, this one or one that was killed. */
export function forgetService(path: string): void {
  rmSync(noteFile(path), { force: true })
}

/** Undefined where no service runs on the database; empty where one does that has noted nothing, as before it serves. */
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
