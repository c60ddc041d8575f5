/** The store of a single node: one SQLite file with animals, keys and counters. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { realFile } from '../../common/paths.ts'
import { accessOf, createFile, createFolder } from '../../common/private-files.ts'
import { SAVE_AFTER_MS } from '../../rules/bounds.ts'
import { selectCounters, toCounters } from '../counter-rows.ts'
import type { LedgerRow } from '../ledger.ts'
import type { ServiceNote } from '../maintenance.ts'
import { KEY, type Key } from '../rows.ts'
import { text } from '../sql.ts'
import type { CounterStore, OpenOptions, Store } from '../store.ts'
import type { ConnectionOptions } from './file/connection.ts'
import { asUnusable } from './file/errors.ts'
import { assertFile, type FileLock, lockExclusively, lockShared, stopFirst } from './file/file-lock.ts'
import { FileThread, type FileThreadOptions } from './file/file-thread.ts'
import { earlierVersion } from './file/migrations.ts'
import { forgetService, noteService } from './file/service-note.ts'
import { assertOwnWal } from './file/wal.ts'
import { openInThread } from './operator/thread.ts'
import { SqlitePets } from './reading/pets.ts'
import { SqliteReader } from './reading/reader.ts'
import type { Sides } from './work.ts'

/** A small cache is faster, because the service keeps texts. Its event loop never waits for a write. */
const READING: ConnectionOptions = { busyTimeoutMs: 0, cacheKib: 4_096 }
const COMMANDING: ConnectionOptions = { busyTimeoutMs: 10_000 }

/** How often a service checks that its file is still at its path. */
const LOOK_EVERY_MS = 1_000

interface SqliteOptions extends OpenOptions {
  readonly startThread?: FileThreadOptions['start']
}

export type SqliteStore = Awaited<ReturnType<typeof openSqlite>>

/** Opens the store of a single node. Throws StoreUnusable. */
export async function openSqlite(path: string, options: SqliteOptions) {
  const { serving, clock, report = () => {}, events, startThread } = options
  const { reader, lock } = await openFile(path, options)
  const { endTurn, fileId } = reader
  const newThread = <Name extends keyof Sides>(name: Name) =>
    new FileThread<Sides[Name]>({ name, path, fileId, report, onAnswer: endTurn, start: startThread })
  const writing = newThread('writer')
  const pets = new SqlitePets(reader, writing, { clock, report })
  const { writer } = pets
  const operator = serving
    ? openInThread(newThread('operator'))
    : // The service leaves it to a thread, and does not load it itself.
      (await import('./operator/open.ts')).openOperator({ path, clock, fileId, isServing: false, onCommit: endTurn })
  const version = reader.prepare("SELECT (SELECT n FROM changes) || ' ' || (SELECT coalesce(max(n), 0) FROM journal)")
  const looking = serving
    ? clock.every(LOOK_EVERY_MS, () => reader.look((trouble) => events?.onTrouble(trouble))).unref()
    : undefined
  return {
    ...operator.side,
    engine: 'sqlite' as const,
    pets,
    requests: {
      findKey: keyLookup(reader),
      markKeysUsed: (uses: ReadonlyMap<string, number>) => writer.run('markKeysUsed', uses),
      saveLedger: (rows: readonly LedgerRow[]) => writer.run('saveLedger', rows),
    },
    saveAfterMs: SAVE_AFTER_MS,
    commits: writer.commits,
    ping: () => reader.shareSnapshot(),
    identity: () => text(reader.prepare('SELECT id FROM identity').get()?.[0]),
    /** The first number grows with each change of an animal, the second with each change of a category name. */
    changeVersion: () => text(version.get()?.[0]),
    announce: (note: ServiceNote) => noteService(path, { ...note, file: fileId }),
    counters(): CounterStore {
      const select = reader.prepare(selectCounters({ toJson: (column) => column }))
      return {
        load: () => toCounters(select.all()),
        save: (counters) => writer.run('saveCounters', counters),
      }
    },
    stopWork: () => operator.stop(),
    async close(): Promise<void> {
      clock.cancel(looking)
      await writer.close()
      await operator.close()
      reader.close()
      try {
        if (serving) forgetService(path)
      } catch {} // Without the lock, the note does not apply.
      lock.close()
    },
  } satisfies Store
}

/** Keys are cached until another connection commits (O7). */
function keyLookup(reader: SqliteReader) {
  const cache = new Map<string, Key>()
  const select = reader.prepare(`SELECT ${KEY.columns} FROM keys WHERE hash = ?`)
  reader.onChange(() => cache.clear())
  return (hash: string): Key | undefined => {
    reader.shareSnapshot() // in which the animals of the request are read too
    const cached = cache.get(hash)
    if (cached !== undefined) return cached
    const row = select.get(hash)
    if (row === undefined) return undefined
    const key = KEY.row(row)
    cache.set(hash, key)
    return key
  }
}

/** Locks the file before opening it, so that nobody replaces it. Throws StoreUnusable. */
async function openFile(path: string, options: SqliteOptions) {
  const { serving, clock, alone = false, report = () => {}, onUpgrade = () => {} } = options
  let lock: FileLock | undefined
  try {
    assertFile(path)
    if (existsSync(path)) accessSync(path, constants.W_OK)
    createFolder(dirname(path))
    const isAlone = serving || alone
    const busyMessage = serving
      ? `Another \`pets serve\` is running on ${path}; stop it first (or wait for the end of a restore or a copy), or name another file with --database.`
      : stopFirst(path)
    lock = isAlone ? lockExclusively(path, 'serving', busyMessage) : lockShared(path)
    if (isAlone) forgetService(path)
    assertOwnWal(path, isAlone)
    createFile(realFile(path), accessOf(realFile(path)))
    const open = () => new SqliteReader(path, { ...(serving ? READING : COMMANDING), report })
    if (earlierVersion(path) === undefined) return { reader: open(), lock }
    const { upgrade } = await import('./maintenance/upgrade.ts')
    return { reader: await upgrade(path, { clock, isAlone, onUpgrade }, open), lock }
  } catch (error) {
    lock?.close()
    throw asUnusable(error, `The database ${path} cannot be used`)
  }
}
