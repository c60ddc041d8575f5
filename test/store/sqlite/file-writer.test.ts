/** What writes the file of a service, by its messages alone: whom it waits for, what it acknowledges, and its log. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { fileId } from '../../../src/store/sqlite/file/wal.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { writeFor } from '../../../src/store/sqlite/writing/file-writer.ts'
import { type Batch, CLOSE, type Reply } from '../../../src/store/sqlite/writing/writer-messages.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'

const NOTHING: Batch = { creates: [], creators: [], minute: 0, writes: [], patienceMs: 0 }
const REX = { creates: ['Rex', 7n, null], creators: [[undefined, 1]] } as const satisfies Partial<Batch>
const USAGE = { minute: 1, minuteCount: 1, day: 1, dayCount: 1, refusedAtMs: [], bannedUntilMs: 0, banLimit: 0 }

/** One over a new file. `onLook` is called with the number of each look at its clock, which shows 10 ms more then. */
async function newWriter(onLook: (n: number) => void = () => {}) {
  const folder = memoryFolder()
  const path = join(folder, 'pets.db')
  await (await openSqlite(path, { serving: false, clock: systemClock })).close()
  const { port1, port2 } = new MessageChannel()
  let looks = 0
  const monotonic = () => {
    looks += 1
    onLook(looks)
    return looks * 10
  }
  writeFor({ path, fileId: fileId(path), port: port1 }, { ...systemClock, monotonic })
  return {
    path,
    looks: () => looks,
    other: new DatabaseSync(path),
    async ask(batch: Partial<Batch>): Promise<Reply> {
      const replied = once(port2, 'message')
      port2.postMessage({ ...NOTHING, ...batch })
      return ((await replied) as [Reply])[0]
    },
    /** Returns what is left in the folder of the file, which goes. */
    async close(): Promise<string[]> {
      const closed = once(port2, 'close')
      port2.postMessage(CLOSE)
      await closed
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
    assert.deepEqual(await writer.ask({ ...REX, patienceMs: 10 }), { kind: 'busy' })
    assert.equal(writer.looks(), 2, 'ten ms are over when ten have passed')
    assert.deepEqual(await writer.ask({ ...REX, patienceMs: 15 }), { kind: 'busy' })
    assert.equal(writer.looks(), 5)
    assert.equal(countOf(writer.other, 'pets'), 0)
    const reply = await writer.ask({ ...REX, patienceMs: 1_000 })
    assert(reply.kind === 'committed' && reply.firstId === 1n && reply.to > reply.from, reply.kind)
    assert.equal(countOf(writer.other, 'pets'), 1)
    writer.other.close()
    assert(!(await writer.close()).includes('pets.db-wal'), 'the last who closes a file removes its log')
  })

  it('acknowledges nothing that went, or might have gone, into a file that was moved', async () => {
    let moveAt = 0
    const writer = await newWriter((n) => {
      if (n === moveAt) renameSync(writer.path, `${writer.path}.moved`)
    })
    writer.other.close()
    const assertUnavailable = (reply: Reply, outcome: string) => {
      const message = `${writer.path} was moved, removed or replaced; ${outcome}.`
      const { kind, ...error } = reply.kind === 'failed' ? reply.error : assert.fail(reply.kind)
      assert.deepEqual([kind, error.message, error.retryAfterS], ['unavailable', message, 5])
      renameSync(`${writer.path}.moved`, writer.path)
    }
    assert.equal((await writer.ask(REX)).kind, 'committed')
    renameSync(writer.path, `${writer.path}.moved`)
    assertUnavailable(await writer.ask(REX), 'nothing was done')
    assert.equal((await writer.ask(REX)).kind, 'committed', 'it is there again')
    moveAt = writer.looks() + 1
    assertUnavailable(await writer.ask(REX), 'this was written to the file that was there before')
    const last = await writer.ask(REX)
    assert(last.kind === 'committed' && last.firstId === 4n, 'what was not acknowledged keeps its id')
    await writer.close()
  })

  it('takes a write that fails back as a whole, alone, and says whose fault it is', async () => {
    const writer = await newWriter()
    const used = new Map([
      ['one', USAGE],
      ['two', { ...USAGE, minute: 1.5 }],
    ])
    const reply = await writer.ask({
      writes: [
        ['saveUsages', [new Map([['kept', USAGE]]), new Set()]],
        ['saveUsages', [used, new Set()]],
        ['saveUsages', [new Map([['also kept', USAGE]]), new Set()]],
      ],
    })
    const results = reply.kind === 'committed' ? reply.results : assert.fail(JSON.stringify(reply))
    assert.deepEqual(
      results.map((result) => ('error' in result ? result.error.kind : 'done')),
      ['done', 'bug', 'done'],
    )
    const [, broken] = results.map((result) => ('error' in result ? result.error.message : ''))
    assert.match(broken ?? '', /^RangeError: .*\n +at /)
    assert.equal(countOf(writer.other, 'counters'), 2, 'no part of the one that failed')
    writer.other.close()
    await writer.close()
  })

  it('says of a file that cannot be opened that it may be opened later, and opens it then', async () => {
    const writer = await newWriter()
    writer.other.close()
    const sound = readFileSync(writer.path)
    writeFileSync(writer.path, 'no database'.repeat(1_000))
    const refused = await writer.ask(REX)
    const { kind, message, retryAfterS } = refused.kind === 'failed' ? refused.error : assert.fail(refused.kind)
    assert.deepEqual([kind, retryAfterS], ['unavailable', 5])
    assert.match(message, /the file is not a SQLite database; name another one/)
    writeFileSync(writer.path, sound)
    assert.equal((await writer.ask(REX)).kind, 'committed')
    await writer.close()
  })

  it('begins its log anew each thousand pages, and as soon as nobody reads what is in it', async () => {
    const writer = await newWriter()
    const pages = () => Number(writer.other.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log)
    const long = Array.from({ length: 200 }, () => ['x'.repeat(3_000), 7n, null]).flat()
    const grow = async (times: number) => {
      let most = 0
      for (let n = 0; n < times; n += 1) {
        await writer.ask({ creates: long, creators: [[undefined, 200]] })
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
