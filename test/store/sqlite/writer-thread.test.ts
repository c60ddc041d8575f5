/** How a service sends writes, and reads the replies. The test has the other end of the port and the clock. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import type { SerializedError } from '../../../src/store/sqlite/file/errors.ts'
import { type Answer, FileThread, type Question, type ThreadData } from '../../../src/store/sqlite/file/file-thread.ts'
import type { Batch, WriterSide } from '../../../src/store/sqlite/writing/file-writer.ts'
import { WriterThread } from '../../../src/store/sqlite/writing/writer-thread.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'

const TIMEOUT_MS = 5_000
const TOO_LATE = /^The database cannot be used: a write waited for too long, .*; nothing was done\.$/
const named = (name: string) => ({ name, categoryId: 7n })

function newWriter() {
  const clock = new VirtualClock()
  const started = Promise.withResolvers<ThreadData>()
  const worker = Object.assign(new EventEmitter(), { ref() {}, unref() {} })
  const reports: string[] = []
  const report = (trouble: string) => void reports.push(trouble)
  const start = (data: ThreadData) => {
    started.resolve(data)
    return worker
  }
  const file = { path: '/none.db', fileId: 'an id' }
  const thread = new FileThread<WriterSide>({ name: 'writer', ...file, onAnswer() {}, report, start })
  const writer = new WriterThread(thread, { clock, onCreated: () => assert.fail('more was changed'), report })
  let asked = 0
  return {
    clock,
    thread,
    writer,
    reports,
    async taken(): Promise<Batch> {
      const { port } = await started.promise
      const [{ id, args }] = (await once(port, 'message')) as [Question]
      asked = id
      return args[0] as Batch
    },
    async answer(answer: { value: unknown } | { error: SerializedError }) {
      const { port } = await started.promise
      port.postMessage({ id: asked, ...answer } satisfies Answer)
    },
    committed(logTrouble?: string) {
      return this.answer({ value: { from: 10n, to: 12n, firstId: 1n, logTrouble } })
    },
    async close() {
      const { port } = await started.promise
      const closed = writer.close()
      await once(port, 'message')
      worker.emit('exit', 0)
      port.close()
      await closed
    },
  }
}

describe('a write', () => {
  it('waits five seconds in all, behind others too, and is refused in time while the thread says nothing', async () => {
    const its = newWriter()
    const both = (name: string) => [
      its.writer.create(named(name)),
      its.writer.run('markKeysUsed', new Map([[name, 1]])),
    ]
    const first = both('first')
    assert.equal((await its.taken()).timeoutMs, TIMEOUT_MS)
    its.clock.pass(4_500)
    const second = both('second')
    its.clock.pass(500)
    await its.answer({ error: { kind: 'unavailable', message: 'busy' } })
    for (const call of first) await assert.rejects(call, { message: 'The database cannot be used: busy' })
    const next = await its.taken()
    assert.equal(next.timeoutMs, 4_500, 'what is left to the first of them')
    assert.deepEqual(next.creates, ['second', 7n, null])
    assert.deepEqual(next.writes, [['markKeysUsed', [new Map([['second', 1]])]]])
    const late: number[] = []
    const third = both('third').map((call, n) => assert.rejects(call, { message: TOO_LATE }).then(() => late.push(n)))
    its.clock.pass(TIMEOUT_MS - 1)
    await new Promise(setImmediate)
    assert.deepEqual(late, [])
    its.clock.pass(1)
    await Promise.all(third)
    await its.committed()
    await Promise.all(second)
    await its.close()
  })

  it('is done when its reply has arrived, of which the event loop need not know yet', async () => {
    const its = newWriter()
    const created = its.writer.create(named('Rex'))
    await its.taken()
    await its.committed()
    assert.equal(its.writer.commits.count, 0)
    its.thread.readAnswers()
    assert.equal(its.writer.commits.count, 1)
    await created
    await its.close()
  })

  it('reports failures, trouble with the log, and its end', async () => {
    const its = newWriter()
    const fail = async (error: SerializedError, expected: object) => {
      const settled = assert.rejects(its.writer.create(named('Rex')), expected)
      await its.taken()
      await its.answer({ error })
      await settled
    }
    await fail({ kind: 'unavailable', message: 'full', retryAfterS: 5 }, { name: 'StoreUnavailable', retryAfterS: 5 })
    await fail({ kind: 'bug', message: 'odd' }, { name: 'Error', message: 'odd' })
    for (const trouble of ['no room', 'no room', undefined]) {
      const done = its.writer.create(named('Rex'))
      await its.taken()
      await its.committed(trouble)
      await done
    }
    assert.deepEqual(its.reports, [
      'The write-ahead log cannot be copied into the database at the moment: no room',
      'The write-ahead log is copied into the database again.',
    ])
    await its.close()
  })
})
