/** What writes the file of a service, batch by batch: whom it waits for, what it acknowledges, and its log. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { fileId } from '../../../src/store/sqlite/file/wal.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { type Batch, openWriter } from '../../../src/store/sqlite/writing/file-writer.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'

const NOTHING: Batch = { creates: [], creators: [], minute: 0, writes: [], timeoutMs: 0 }
const REX = { creates: ['Rex', 7n, null], creators: [[undefined, 1]] } as const satisfies Partial<Batch>
const USAGE = { minute: 1, minuteCount: 1, day: 1, dayCount: 1, refusedAtMs: [], bannedUntilMs: 0, banLimit: 0 }
const BUSY = { name: 'StoreUnavailable', message: /another process is writing to it/, retryAfterS: 1 }

/** One over a new file. `onLook` is called with the number of each look at its clock, which shows 10 ms more then. */
async function newWriter(onLook: (n: number) => void = () => {}) {
  const folder = memoryFolder()
  const path = join(folder, 'pets.db')
  await (await openSqlite(path, { serving: false, clock: systemClock })).close()
  let looks = 0
  const monotonic = () => {
    looks += 1
    onLook(looks)
    return looks * 10
  }
  const writer = openWriter({ path, fileId: fileId(path), clock: { ...systemClock, monotonic }, isServing: true })
  return {
    path,
    looks: () => looks,
    other: new DatabaseSync(path),
    commit: (batch: Partial<Batch>) => writer.subjects.batches.commit({ ...NOTHING, ...batch }),
    /** Returns what is left in the folder of the file, which goes. */
    async close(): Promise<string[]> {
      await writer.close()
      const left = readdirSync(folder)
      removeFolder(folder)
      return left
    },
  }
}

function countOf(database: DatabaseSync, table: string): unknown {
  return database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n
}

describe('what writes the file', () => {
  it('waits for another process as long as it is told, and has done nothing when that was too short', async () => {
    const writer = await newWriter((n) => {
      if (n === 7) writer.other.exec('ROLLBACK')
    })
    writer.other.exec('BEGIN IMMEDIATE')
    await assert.rejects(writer.commit({ ...REX, timeoutMs: 10 }), BUSY)
    assert.equal(writer.looks(), 2, 'ten ms are over when ten have passed')
    await assert.rejects(writer.commit({ ...REX, timeoutMs: 15 }), BUSY)
    assert.equal(writer.looks(), 5)
    assert.equal(countOf(writer.other, 'pets'), 0)
    const { firstId, from, to } = await writer.commit({ ...REX, timeoutMs: 1_000 })
    assert(firstId === 1n && to > from)
    assert.equal(countOf(writer.other, 'pets'), 1)
    writer.other.close()
    assert(!(await writer.close()).includes('pets.db-wal'), 'the last who closes a file removes its log')
  })

  it('acknowledges nothing that would go into a file that was moved', async () => {
    let moveAt = 0
    const writer = await newWriter((n) => {
      if (n === moveAt) renameSync(writer.path, `${writer.path}.moved`)
    })
    writer.other.close()
    const assertRefused = async () => {
      const message = `The database cannot be used: ${writer.path} was moved, removed or replaced; nothing was done.`
      await assert.rejects(writer.commit(REX), { message, retryAfterS: 5 })
      renameSync(`${writer.path}.moved`, writer.path)
    }
    assert.equal((await writer.commit(REX)).firstId, 1n)
    renameSync(writer.path, `${writer.path}.moved`)
    await assertRefused()
    assert.equal((await writer.commit(REX)).firstId, 2n, 'it is there again')
    moveAt = writer.looks() + 1
    await assertRefused()
    assert.equal((await writer.commit(REX)).firstId, 3n)
    await writer.close()
  })

  it('takes a batch with a write that fails back as a whole', async () => {
    const writer = await newWriter()
    const saved = (minute: number): Batch['writes'][number] => [
      'saveUsages',
      [new Map([[`of ${minute}`, { ...USAGE, minute }]]), new Set()],
    ]
    await assert.rejects(writer.commit({ ...REX, writes: [saved(1), saved(1.5)] }), RangeError)
    assert.deepEqual([countOf(writer.other, 'counters'), countOf(writer.other, 'pets')], [0, 0])
    await writer.commit({ ...REX, writes: [saved(1), saved(2)] })
    assert.deepEqual([countOf(writer.other, 'counters'), countOf(writer.other, 'pets')], [2, 1])
    writer.other.close()
    await writer.close()
  })

  it('says of a file that cannot be opened that it may be opened later, and opens it then', async () => {
    const writer = await newWriter()
    writer.other.close()
    const sound = readFileSync(writer.path)
    writeFileSync(writer.path, 'no database'.repeat(1_000))
    const message = /the file is not a SQLite database; name another one/
    await assert.rejects(writer.commit(REX), { name: 'StoreUnavailable', message, retryAfterS: 5 })
    writeFileSync(writer.path, sound)
    assert.equal((await writer.commit(REX)).firstId, 1n)
    await writer.close()
  })

  it('begins its log anew each thousand pages, and as soon as nobody reads what is in it', async () => {
    const writer = await newWriter()
    const pages = () => Number(writer.other.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log)
    const long = Array.from({ length: 200 }, () => ['x'.repeat(3_000), 7n, null]).flat()
    const grow = async (times: number) => {
      let most = 0
      for (let n = 0; n < times; n += 1) {
        await writer.commit({ creates: long, creators: [[undefined, 200]] })
        await new Promise(setImmediate)
        most = Math.max(most, pages())
      }
      return most
    }
    const most = await grow(20)
    assert(most > 1_000 && most < 2_000, `${most} pages`)
    const reader = new DatabaseSync(writer.path)
    reader.exec('BEGIN')
    countOf(reader, 'pets')
    assert((await grow(20)) > 4_000, 'what somebody reads is kept')
    reader.exec('ROLLBACK')
    reader.close()
    await grow(10)
    assert(pages() < 2_000, `${pages()} pages`)
    writer.other.close()
    await writer.close()
  })
})
