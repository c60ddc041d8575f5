/** What reads all there is, in threads of its own beside the operator's. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../src/common/program.ts'
import type { OperatorSide } from '../../../src/store/operator-side.ts'
import { FileDatabase } from '../../../src/store/sqlite/file/file-database.ts'
import { FileThread, type FileThreadOptions, type ThreadData } from '../../../src/store/sqlite/file/file-thread.ts'
import { fileId } from '../../../src/store/sqlite/file/wal.ts'
import { Scanners } from '../../../src/store/sqlite/operator/scanners.ts'
import { openInThread } from '../../../src/store/sqlite/operator/thread.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { memoryFolder } from '../../support/folder.ts'
import { PLAIN_IMPORT } from '../../support/store.ts'
import { patientClock } from '../../support/time/clock.ts'

const LONG = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) FROM n'
const COUNT = 'SELECT count(*) FROM categories'
const add = (id: number) => `INSERT INTO categories VALUES (${id}, 'Category ${id}')`

/** A file that has begun to be read when three rows of it are taken. */
async function* endless(begun: () => void, released = () => {}) {
  try {
    for (let line = 1; ; line += 1) {
      yield [{ name: `Rex ${line}`, categoryId: 1n }]
      if (line === 3) begun()
    }
  } finally {
    released()
  }
}

function threadOn(path: string, options: Partial<FileThreadOptions> = {}) {
  const report = (trouble: string) => assert.fail(trouble)
  return new FileThread<OperatorSide>({
    name: 'operator',
    path,
    fileId: fileId(path),
    onAnswer() {},
    report,
    ...options,
  })
}

describe('a read of everything', () => {
  const path = join(memoryFolder(), 'pets.db')
  let scanners: Scanners
  let database: FileDatabase

  before(async () => {
    await (await openSqlite(path, { serving: false, clock: patientClock })).close()
    const file = { path, fileId: fileId(path), clock: patientClock }
    scanners = new Scanners(file)
    database = new FileDatabase({ ...file, isServing: true, scanners })
  })
  after(() => database.close())

  it('blocks neither short reads nor writes nor a second person', async () => {
    const done: string[] = []
    const note = (what: string) => () => void done.push(what)
    await Promise.all([
      database.scan(LONG).then(note('all')),
      database.read(COUNT).then(note('less')),
      database.write((sql) => sql(add(1))).then(note('a write')),
      database.scan(COUNT).then(note('all of less')),
    ])
    assert.deepEqual(done.toSorted(), ['a write', 'all', 'all of less', 'less'])
    assert.equal(done.at(-1), 'all')
  })

  it('waits for its turn where two are at work, and gets it though one of them fails', async () => {
    const [, refused, counted] = await Promise.allSettled([
      database.scan(LONG),
      database.scan('SELECT nothing'),
      database.scan(COUNT),
      database.scan(COUNT),
    ])
    assert.equal(refused.status, 'rejected')
    assert.deepEqual(counted, { status: 'fulfilled', value: [[1n]] })
  })

  it('sees one snapshot, whatever is committed in the meantime', async () => {
    const seen = await database.snapshot(async (sql) => {
      const first = await sql(COUNT)
      await database.write((write) => write(add(2)))
      return [first, await sql(COUNT), await database.read(COUNT)]
    })
    assert.deepEqual(seen, [[[1n]], [[1n]], [[2n]]])
    await assert.rejects(
      database.snapshot(() => Promise.reject(new Error('not this month'))),
      /not this month/,
    )
    assert.deepEqual(await database.snapshot((sql) => sql(COUNT)), [[2n]], 'the next one sees its own instant')
  })

  it('lets go of a file that it was importing when the thread ends, and the next one works', async () => {
    const workers: Worker[] = []
    const start = (data: ThreadData) => {
      const worker = startThread('src/store/sqlite/worker.ts', { workerData: data, transferList: [data.port] })
      workers.push(worker)
      return worker
    }
    const thread = threadOn(path, { report() {}, start })
    const { side, close } = openInThread(thread)
    const released = Promise.withResolvers<void>()
    const file = endless(() => void workers[0]?.terminate(), released.resolve)
    await assert.rejects(side.imports.add(file, PLAIN_IMPORT), { outcome: 'unknown' })
    await released.promise
    assert.equal(await side.records.get(1n), undefined)
    await close()
  })

  it('refuses a call of a name that it does not have', async () => {
    const thread = threadOn(path)
    for (const [target, method] of [
      ['records', 'none'],
      ['none', 'get'],
    ] as const) {
      const call = thread.send({ target, method, args: [] }, () => assert.fail('an answer'))
      await assert.rejects(call, { message: new RegExp(`no thread answers ${target}\\.${method}`) })
    }
    await thread.close()
  })

  it('ends before its next statement when the service stops, and what is asked later is refused', async () => {
    const thread = threadOn(path)
    const { side, stop, close } = openInThread(thread)
    const begun = Promise.withResolvers<void>()
    const stopped = { name: 'StoreUnavailable', message: /the service is stopping/ }
    const importing = assert.rejects(side.imports.add(endless(begun.resolve), PLAIN_IMPORT), stopped)
    await begun.promise
    stop()
    await importing
    await assert.rejects(side.records.get(1n), stopped)
    await close()
    assert.deepEqual(await database.read('SELECT count(*) FROM pets'), [[0n]])
  })
})
