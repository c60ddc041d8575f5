/** Copies a database before it is migrated, because the earlier version cannot open it afterwards. */
import type { Clock } from '../../../common/clock.ts'
import { realFile } from '../../../common/paths.ts'
import { StoreUnusable } from '../../store.ts'
import { isServed, LONG_TIMEOUT_MS, lockExclusively } from '../file/file-lock.ts'
import { assertKnown, earlierVersion, schema } from '../file/migrations.ts'
import { backUp } from './backup.ts'
import { freeNameBeside } from './restore.ts'

interface UpgradeOptions {
  readonly clock: Clock
  readonly isAlone: boolean
  readonly onUpgrade: (sentence: string) => void
}

/** Calls `open`, which migrates the file. Throws StoreUnusable, and then nothing was changed. */
export async function upgrade<T>(path: string, options: UpgradeOptions, open: () => T): Promise<T> {
  const { clock, isAlone, onUpgrade } = options
  const busyMessage = `${path} is being upgraded, or an import into it is running; wait for its end and try again.`
  using _lock = lockExclusively(path, 'importing', busyMessage, LONG_TIMEOUT_MS)
  const from = earlierVersion(path)
  if (from === undefined) return open()
  assertKnown(from, path)
  if (!isAlone && isServed(path)) {
    throw new StoreUnusable(
      `\`pets serve\` of an earlier version is running on ${path}, and could not start again after this version has opened it; update the service first.`,
    )
  }
  const to = schema()
  const copy = freeNameBeside(realFile(path), 'before-upgrade', clock.now())
  onUpgrade(`${path} is of schema ${from} and this version needs ${to}: first it is copied, and the copy checked`)
  await backUp(path, copy, { clock }).catch((error: unknown) => {
    if (!(error instanceof StoreUnusable)) throw error
    throw new StoreUnusable(`${path} was not upgraded, because no copy of it could be made: ${error.message}`)
  })
  const opened = open()
  onUpgrade(
    `${path} was upgraded from schema ${from} to ${to}; ${copy} is what it was, for going back with \`pets restore\``,
  )
  return opened
}
