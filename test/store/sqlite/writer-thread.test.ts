/**
 * How a service hands over what is to be written, and what it makes of the replies: the test has the other end of the
 * port, and time passes only when it says so.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import type { SerializedError } from '../../../src/store/sqlite/file/errors.ts'
import {
  type Answer,
  CLOSE,
  FileThread,
  type Question,
  type ThreadData,
} from '../../../src/store/sqlite/file/file-thread.ts'
import type { Batch } from '../../../src/store/sqlite/writing/file-writer.ts'
import { WriterThread } from '../../../src/store/sqlite/writing/writer-thread.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'

const TIMEOUT_MS = 5_000
const TOO_LATE = /^The database cannot be used: a write waited for too long, .*; nothing was done\.$/
const named = (name: string) => ({ name, categoryId: 7n })

/** A writer whose other end the test has: the newest of those that were started. */
function newWriter() {
  const clock = new VirtualClock()
  const threads: { readonly data: ThreadData; readonly worker: EventEmitter }[] = []
  const reports: string[] = []
  const onlyCreates: string[] = []
  const report = (trouble: string) => void reports.push(trouble)
  const thread = new FileThread({
    ...{ name: 'writer', path: '/none.db', fileId: 'an id', onAnswer() {}, report },
    start: (data) => {
      const worker = Object.assign(new EventEmitter(), { ref() {}, unref() {} })
      threads.push({ data, worker })
      return worker
    },
  })
  const writer = new WriterThread(thread, {
    clock,
    onCreated: (from, to, created) => void onlyCreates.push(`${from} to ${to}: ${created.length}`),
    report,
  })
  let asked = 0
  const newest = () => threads.at(-1) ?? assert.fail('none was started')
  return {
    clock,
    writer,
    thread,
    threads,
    reports,
    onlyCreates,
    /** The next batch. */
    async taken(): Promise<Batch> {
      while (threads.length === 0) await new Promise(setImmediate)
      const [{ id, args }] = (await once(newest().data.port, 'message')) as [Question]
      asked = id
      return args[0] as Batch
    },
    answer: (answer: { value: unknown } | { error: SerializedError }) =>
      newest().data.port.postMessage({ id: asked, ...answer } satisfies Answer),
    committed(firstId: bigint, changes: bigint, logTrouble?: string) {
      this.answer({ value: { from: 10n, to: 10n + changes, firstId, logTrouble } })
    },
    end(code: number) {
      const { data, worker } = newest()
      worker.emit('exit', code)
      data.port.close()
    },
    async close() {
      const closed = writer.close()
      const [message] = (await once(newest().data.port, 'message')) as [unknown]
      assert.equal(message, CLOSE)
      this.end(0)
      await closed
    },
  }
}

describe('what is to be written', () => {
  it('is handed over with the creates of one key together, whose ids follow one another', async () => {
    const its = newWriter()
    const names = Array.from({ length: 4 }, (_, n) => `n${n}`)
    const all = names.map((name, n) => its.writer.create(named(name), n % 2 === 0 ? 'even' : undefined))
    const { creates, creators } = await its.taken()
    assert.deepEqual(creators, [
      [undefined, 2],
      ['even', 2],
    ])
    assert.deepEqual(creates.slice(0, 4), ['n1', 7n, null, 'n3'])
    its.committed(1n, 4n)
    const ids = (await Promise.all(all)).map(({ id }) => id)
    assert.deepEqual(ids, [3n, 1n, 4n, 2n])
    assert.deepEqual(its.writer.commits, { count: 1, rows: 4 })
    assert.deepEqual(its.onlyCreates, ['10 to 14: 4'])
    await its.close()
  })

  it('waits five seconds in all, behind others too', async () => {
    const its = newWriter()
    const first = [its.writer.create(named('first')), its.writer.run('markKeysUsed', new Map([['a', 1]]))]
    assert.equal((await its.taken()).timeoutMs, TIMEOUT_MS)
    its.clock.pass(4_500)
    const second = [its.writer.create(named('second')), its.writer.run('markKeysUsed', new Map([['b', 1]]))]
    its.clock.pass(500)
    its.answer({ error: { kind: 'unavailable', message: 'busy' } })
    for (const call of first) await assert.rejects(call, { message: 'The database cannot be used: busy' })
    const next = await its.taken()
    assert.equal(next.timeoutMs, 4_500, 'what is left to the first of them')
    assert.deepEqual([next.creates, next.writes], [['second', 7n, null], [['markKeysUsed', [new Map([['b', 1]])]]]])
    its.committed(1n, 1n)
    await Promise.all(second)
    await its.close()
  })

  it('is refused in time while the thread says nothing', async () => {
    const its = newWriter()
    const first = its.writer.create(named('first'))
    await its.taken()
    its.clock.pass(500)
    const late: number[] = []
    const calls = [its.writer.create(named('second')), its.writer.run('markKeysUsed', new Map([['a', 1]]))].map(
      (call, n) => assert.rejects(call, { message: TOO_LATE }).then(() => late.push(n)),
    )
    its.clock.pass(TIMEOUT_MS - 1)
    await new Promise(setImmediate)
    assert.deepEqual(late, [])
    its.clock.pass(1)
    await new Promise(setImmediate)
    assert.deepEqual(late, [0, 1])
    its.committed(1n, 1n)
    await Promise.all([first, ...calls])
    await its.close()
  })

  it('is of unknown outcome when the thread ends over it, and what follows is done by a new one', async () => {
    const its = newWriter()
    const lost = its.writer.create(named('lost'))
    await its.taken()
    const kept = its.writer.create(named('kept'))
    its.threads[0]?.worker.emit('error', new Error('out of memory'))
    its.end(1)
    await assert.rejects(lost, /the writer thread has ended; it is not known whether this was done/)
    assert.deepEqual(its.reports, ['The writer thread has ended (out of memory) and is started again.'])
    while (its.threads.length < 2) await new Promise(setImmediate)
    assert.deepEqual((await its.taken()).creates, ['kept', 7n, null])
    its.committed(5n, 1n)
    assert.equal((await kept).id, 5n)
    its.end(7)
    assert.match(its.reports[1] ?? '', /\(exit code 7\)/)
    its.end(7)
    assert.equal(its.reports.length, 2, 'the end of one that is replaced is no news')
    await its.writer.close()
  })

  it('is done when its reply has arrived, of which the event loop need not know yet', async () => {
    const its = newWriter()
    const created = its.writer.create(named('Rex'))
    await its.taken()
    its.committed(3n, 1n)
    assert.equal(its.writer.commits.count, 0)
    its.thread.readAnswers()
    assert.equal(its.writer.commits.count, 1)
    assert.equal((await created).id, 3n)
    its.thread.readAnswers()
    await its.close()
    its.thread.readAnswers()
  })

  it('fails as its answer says, and trouble with the log is told, and its end', async () => {
    const its = newWriter()
    const fail = async (error: SerializedError, expected: object) => {
      const calls = [its.writer.create(named('Rex')), its.writer.run('markKeysUsed', new Map([['a', 1]]))]
      const settled = Promise.all(calls.map((call) => assert.rejects(call, expected)))
      await its.taken()
      its.answer({ error })
      await settled
    }
    await fail({ kind: 'unavailable', message: 'full', retryAfterS: 5 }, { name: 'StoreUnavailable', retryAfterS: 5 })
    await fail({ kind: 'bug', message: 'odd' }, { name: 'Error', message: 'odd' })
    for (const trouble of ['no room', 'no room', undefined]) {
      const done = [its.writer.create(named('Rex')), its.writer.run('markKeysUsed', new Map([['a', 1]]))]
      await its.taken()
      its.committed(1n, 2n, trouble)
      await Promise.all(done)
    }
    assert.deepEqual(its.reports, [
      'The write-ahead log cannot be copied into the database at the moment: no room',
      'The write-ahead log is copied into the database again.',
    ])
    assert.deepEqual(its.onlyCreates, [], 'more was changed than an animal was created')
    await its.close()
  })
})
