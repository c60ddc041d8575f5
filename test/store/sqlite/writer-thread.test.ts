/**
 * How a service hands over what is to be written, and what it makes of the replies: the test has the other end of the
 * port, and time passes only when it says so.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import { type Batch, CLOSE, type Reply, type WriterData } from '../../../src/store/sqlite/writing/writer-messages.ts'
import { WriterThread } from '../../../src/store/sqlite/writing/writer-thread.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'

const PATIENCE_MS = 5_000
const TOO_LATE = /^The database cannot be used: a write waited for too long, .*; nothing was done\.$/
const named = (name: string) => ({ name, categoryId: 7n })

/** A writer whose other end the test has: the newest of those that were started. */
function newWriter() {
  const clock = new VirtualClock()
  const threads: { readonly data: WriterData; readonly worker: EventEmitter }[] = []
  const reports: string[] = []
  const onlyCreates: string[] = []
  const writer = new WriterThread({
    path: '/none.db',
    clock,
    fileId: 'an id',
    onReply() {},
    onCreated: (from, to, created) => void onlyCreates.push(`${from} to ${to}: ${created.length}`),
    report: (trouble) => void reports.push(trouble),
    start: (data) => {
      const worker = Object.assign(new EventEmitter(), { ref() {}, unref() {} })
      threads.push({ data, worker })
      return worker
    },
  })
  const newest = () => threads.at(-1) ?? assert.fail('none was started')
  return {
    clock,
    writer,
    threads,
    reports,
    onlyCreates,
    /** The next batch. */
    async taken(): Promise<Batch> {
      while (threads.length === 0) await new Promise(setImmediate)
      return ((await once(newest().data.port, 'message')) as [Batch])[0]
    },
    reply: (reply: Reply | { kind: 'trouble'; trouble: string | undefined }) => newest().data.port.postMessage(reply),
    committed(firstId: bigint, changes: bigint, results: Extract<Reply, { kind: 'committed' }>['results'] = []) {
      this.reply({ kind: 'committed', from: 10n, to: 10n + changes, firstId, results })
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
  it('is handed over a thousand creates, or four million letters, at a time, those of one key together', async () => {
    const its = newWriter()
    const names = Array.from({ length: 1_002 }, (_, n) => `n${n}`)
    const all = names.map((name, n) => its.writer.create(named(name), n % 2 === 0 ? 'even' : undefined))
    const first = await its.taken()
    assert.deepEqual(first.creators, [
      [undefined, 500],
      ['even', 500],
    ])
    assert.deepEqual(first.creates.slice(0, 4), ['n1', 7n, null, 'n3'])
    const long = ['a', 'b', 'c'].map((letter) => its.writer.create(named(letter.repeat(2 << 20))))
    its.committed(1n, 1_000n)
    const second = await its.taken()
    const lengths = second.creates.filter((value) => typeof value === 'string').map((name) => name.length)
    assert.deepEqual(lengths, [5, 2 << 20, 5], 'the two that were left, and one that has room beside them')
    its.committed(1_001n, 3n)
    const third = await its.taken()
    assert.equal(third.creates.length, 6, 'two have just as many as there may be')
    its.committed(1_004n, 2n)
    const ids = [...(await Promise.all(all)), ...(await Promise.all(long))].map(({ id }) => id)
    assert.equal(new Set(ids).size, 1_005)
    assert.deepEqual([ids[0], ids[1], ids.at(-1)], [501n, 1n, 1_005n])
    assert.deepEqual(its.writer.commits, { count: 3, rows: 1_005 })
    assert.deepEqual(its.onlyCreates, ['10 to 1010: 1000', '10 to 13: 3', '10 to 12: 2'])
    await its.close()
  })

  it('is gathered from turns that follow one another, and for four milliseconds at most', async () => {
    const its = newWriter()
    const together = [its.writer.create(named('first'))]
    await new Promise(setImmediate)
    together.push(its.writer.create(named('second')))
    assert.deepEqual((await its.taken()).creates, ['first', 7n, null, 'second', 7n, null])
    its.committed(1n, 2n)
    await Promise.all(together)
    const alone = its.writer.create(named('third'))
    its.clock.pass(4)
    await new Promise(setImmediate)
    const late = its.writer.create(named('late'))
    assert.deepEqual((await its.taken()).creates, ['third', 7n, null])
    its.committed(3n, 1n)
    await alone
    assert.deepEqual((await its.taken()).creates, ['late', 7n, null])
    its.committed(4n, 1n)
    await late
    await its.close()
  })

  it('waits five seconds in all, behind others too, and is refused alone when they are over', async () => {
    const its = newWriter()
    const outcomes: string[] = []
    const note = (name: string, call: Promise<unknown>) =>
      call.then(
        () => outcomes.push(`${name} done`),
        (error: unknown) => {
          assert(
            error instanceof StoreUnavailable && error.retryAfterS === 1 && TOO_LATE.test(error.message),
            `${error}`,
          )
          outcomes.push(`${name} late`)
        },
      )
    const calls = [
      note('first', its.writer.create(named('first'))),
      note('map', its.writer.run('markKeysUsed', new Map([['a', 1]]))),
    ]
    assert.equal((await its.taken()).patienceMs, PATIENCE_MS)
    its.clock.pass(4_500)
    calls.push(
      note('second', its.writer.create(named('second'))),
      note('other map', its.writer.run('markKeysUsed', new Map([['b', 1]]))),
    )
    its.reply({ kind: 'busy' })
    const again = await its.taken()
    assert.equal(again.patienceMs, 500, 'what is left to the first of them')
    assert.deepEqual(again.creates, ['first', 7n, null, 'second', 7n, null])
    assert.deepEqual(
      again.writes.map(([, args]) => args),
      [[new Map([['a', 1]])], [new Map([['b', 1]])]],
    )
    its.clock.pass(500)
    its.reply({ kind: 'busy' })
    const last = await its.taken()
    assert.deepEqual([last.creates, last.writes.length, last.patienceMs], [['second', 7n, null], 1, 4_500])
    await Promise.all(calls.slice(0, 2))
    assert.deepEqual(outcomes.toSorted(), ['first late', 'map late'])
    // Nothing is asked for meanwhile: what waits behind a batch is refused by a timer.
    calls.push(
      note('third', its.writer.create(named('third'))),
      note('third map', its.writer.run('markKeysUsed', new Map([['c', 1]]))),
    )
    its.clock.pass(PATIENCE_MS)
    await Promise.all(calls.slice(4))
    its.committed(1n, 1n, [{ value: true }])
    await Promise.all(calls)
    assert.deepEqual(outcomes.slice(4).toSorted(), ['other map done', 'second done'])
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
    its.clock.pass(PATIENCE_MS - 1)
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
    await assert.rejects(lost, /the thread that writes has ended; it is not known whether this was done/)
    assert.deepEqual(its.reports, [
      'The thread that writes the database has ended (out of memory) and is started again.',
    ])
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
    its.writer.readReplies()
    assert.equal(its.writer.commits.count, 1)
    assert.equal((await created).id, 3n)
    its.writer.readReplies()
    await its.close()
    its.writer.readReplies()
  })

  it('fails as its reply says: what is not answered is a bug, and trouble is told, and its end', async () => {
    const its = newWriter()
    const calls = [
      its.writer.create(named('Rex')),
      ...['a', 'b', 'c', 'd'].map((map) => its.writer.run('markKeysUsed', new Map([[map, 1]]))),
    ]
    const settled = Promise.allSettled(calls)
    await its.taken()
    its.reply({ kind: 'trouble', trouble: 'no room' })
    its.reply({ kind: 'trouble', trouble: undefined })
    const full = { kind: 'unavailable', message: 'full', errcode: 13 } as const
    its.committed(1n, 2n, [{ value: true }, { error: full }, { error: { kind: 'bug', message: 'odd' } }])
    const [rex, done, refused, odd, unanswered] = await settled
    assert.deepEqual([rex?.status, done?.status], ['fulfilled', 'fulfilled'])
    assert(refused?.status === 'rejected' && refused.reason instanceof StoreUnavailable)
    assert.deepEqual([refused.reason.retryAfterS, refused.reason.cause], [1, { errcode: 13 }])
    assert(odd?.status === 'rejected' && odd.reason.message === 'odd' && odd.reason.cause === undefined)
    assert(unanswered?.status === 'rejected')
    assert.equal(unanswered.reason.message, 'the thread that writes has not replied to this')
    assert.deepEqual(its.reports, ['no room', 'The write-ahead log is copied into the database again.'])
    assert.deepEqual(its.onlyCreates, [], 'more was changed than an animal was created')
    await its.close()
  })

  it('is waited for by the close', async () => {
    const its = newWriter()
    const created = its.writer.create(named('Rex'))
    await its.taken()
    const waiting = its.writer.run('markKeysUsed', new Map([['a', 1]]))
    let isClosed = false
    const closed = its.writer.close().then(() => {
      isClosed = true
    })
    its.committed(1n, 1n)
    await created
    await its.taken()
    assert(!isClosed)
    its.committed(0n, 1n, [{ value: false }])
    await waiting
    assert.equal(((await once(its.threads[0]?.data.port ?? assert.fail(), 'message')) as [unknown])[0], CLOSE)
    its.end(0)
    await closed
    assert.deepEqual(its.reports, [], 'that end was asked for')
  })
})
