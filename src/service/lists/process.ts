/**
 * The process that syncs one list for a service: it reads and compares beside the service's event loop and its writer,
 * and can be ended at any moment, with all of it done or nothing. It takes its task from its arguments and reports the
 * result; the address of the database, which may hold a password, is in a variable.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { FileImport } from '../../animals-file/import.ts'
import { wholeFile } from '../../animals-file/whole.ts'
import { ExplainedError } from '../../common/errors.ts'
import { systemClock } from '../../common/system-clock.ts'
import { openStore } from '../../store/open.ts'
import type { ListMessage } from './request.ts'
import { readListSettings } from './settings.ts'
import { BY_SETTINGS, ListRefused, syncList } from './sync-list.ts'

const [list = '', rowLimit = '']: readonly string[] = parentPort === null ? process.argv.slice(2) : workerData
const problems: string[] = []
const hints: string[] = []
/** What a person should know of the list, taken or not. */
let notes: readonly string[] = []

async function syncIt(): Promise<ListMessage> {
  try {
    const { ref: reference, map, missing, adopt: adopts, most, namesNew } = readListSettings(dirname(list))
    const file = await openList()
    try {
      const store = await openStore(process.env.PETS_LIST_DATABASE ?? '', {
        serving: false,
        clock: systemClock,
        mustExist: true,
      })
      try {
        const by = { who: 'service', atMs: systemClock.now() }
        const doing = { by, source: basename(list), missing, adopts, most, dryRun: false }
        const read = { chunks: wholeFile(file), rowLimit: Number(rowLimit), reference, map, namesNew }
        const onRead = (reading: FileImport) => {
          problems.push(...reading.told)
          notes = reading.notes.map(({ text }) => text)
        }
        const hint = (line: string) => void hints.push(line)
        const { text } = await syncList(store, read, doing, { onRead, hint, advice: BY_SETTINGS })
        return { kind: 'done', text: [text, ...hints, ...notes].map((line) => line.trim()).join(' '), problems }
      } finally {
        await store.close()
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (error instanceof ListRefused) {
      return { kind: 'refused', text, problems: [...problems, ...notes.map((line) => `${line}\n`)] }
    }
    return { kind: error instanceof ExplainedError ? 'put off' : 'failed', text, problems }
  }
}

/** It may be another user's: then nothing is read of it, and it stays. */
async function openList(): Promise<FileHandle> {
  try {
    return await open(list)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ExplainedError(`It cannot be read (${reason}); give it to the user of the service.`)
  }
}

const message = await syncIt()
if (parentPort === null) {
  process.send?.(message, undefined, {}, () => {}) // without the service nobody is to be told
  process.disconnect?.()
} else parentPort.postMessage(message)
