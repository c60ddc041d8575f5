/**
 * A backup: one state of the database, taken beside the running service, as a file that is whole and checked when it has its
 * name. What comes before is in FILE.partial.
 */
import { existsSync, renameSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StoreUnusable } from '../store.ts'
import { claim } from './claim.ts'
import { assertOwnLog } from './identity.ts'
import type { Contents } from './inspect.ts'
import { syncFolder } from './snapshot.ts'
import { type SnapshotOptions, takeSnapshot } from './take-snapshot.ts'

/** Throws StoreUnusable; there is no `file` then. */
export async function backUp(path: string, file: string, options: SnapshotOptions = {}): Promise<Contents> {
  assertOwnLog(path)
  assertFree(file)
  const release = claim(path, 'backing-up', `Another backup of ${path} is being made; wait for its end and try again.`)
  try {
    const partial = `${file}.partial`
    const contents = await takeSnapshot(path, partial, options)
    assertFree(file)
    renameSync(partial, file)
    syncFolder(dirname(resolve(file)))
    return contents
  } finally {
    release()
  }
}

function assertFree(file: string): void {
  if (existsSync(file))
    throw new StoreUnusable(`${file} is there already; a backup overwrites nothing, so name another.`)
}
