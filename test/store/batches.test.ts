/** Requests that arrive together share a batch, and every wait is bounded. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Batches, type BatchOptions, busy } from '../../src/store/batches.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

function endedByHand(options: Omit<BatchOptions<string>, 'clock'>) {
  const clock = new VirtualClock()
  const batches: string[][] = []
  const endings: (() => void)[] = []
  const shared = new Batches<string, string>(
    (items) => {
      batches.push([...items])
      return new Promise((resolve) => endings.push(() => resolve(items.map((text) => text.toUpperCase()))))
    },
    { ...options, clock },
  )
  return { clock, shared, batches, endings }
}

const turn = () => new Promise((next) => setImmediate(next))

it('an item submitted while a batch is in flight gets the answer of the next batch', async () => {
  const { shared, batches, endings } = endedByHand({ inFlight: 1, maxItems: 10 })
  const first = shared.submit('a')
  await turn()
  const second = shared.submit('a')
  const third = shared.submit('b')
  await turn()
  assert.deepEqual(batches, [['a']])
  endings[0]?.()
  await first
  await turn()
  assert.deepEqual(batches, [['a'], ['a', 'b']])
  endings[1]?.()
  assert.deepEqual(await Promise.all([second, third]), ['A', 'B'])
})

it('no more batches than allowed are in flight, and none is larger than allowed', async () => {
  const { shared, batches, endings } = endedByHand({ inFlight: 2, maxItems: 3 })
  const answers = Array.from('abcdefgh', (text) => shared.submit(text))
  await turn()
  assert.deepEqual(batches.flat().join(''), 'abcdef')
  assert.deepEqual(
    batches.map(({ length }) => length),
    [3, 3],
  )
  for (let n = 0; n < 3; n += 1) {
    endings[n]?.()
    await turn()
  }
  assert.equal((await Promise.all(answers)).join(''), 'ABCDEFGH')
})

it('a batch ends before it exceeds its weight limit, and a heavier item goes alone', async () => {
  const weight = { maxWeight: 5, weigh: ({ length }: string) => length }
  const { shared, batches, endings } = endedByHand({ inFlight: 10, maxItems: 3, ...weight })
  const answers = ['aa', 'bb', 'cc', 'dddddddd', 'e', 'f', 'g', 'h'].map((text) => shared.submit(text))
  await turn()
  assert.deepEqual(batches, [['aa', 'bb'], ['cc'], ['dddddddd'], ['e', 'f', 'g'], ['h']])
  for (const end of endings) end()
  await Promise.all(answers)
})

it('an item that has waited too long is refused alone, also while no batch ends', async () => {
  const reasons: string[] = []
  const refusal = (reason: string) => {
    reasons.push(reason)
    return busy(reason)
  }
  const { clock, shared, batches, endings } = endedByHand({ inFlight: 1, maxItems: 1, maxMs: 500, refusal })
  const sent = shared.submit('sent')
  await turn()
  const refused: unknown[] = []
  for (const item of ['a', 'b']) shared.submit(item).catch((error: unknown) => refused.push(error))
  clock.pass(1)
  const late = shared.submit('late')
  clock.pass(499)
  await turn()
  assert(refused.length === 2 && refused.every((error) => error instanceof StoreUnavailable))
  endings[0]?.()
  assert.equal(await sent, 'SENT')
  assert.deepEqual(batches, [['sent'], ['late']])
  endings[1]?.()
  assert.equal(await late, 'LATE')
  assert.deepEqual(reasons, ['requests have waited for 500 ms behind others'])
  const last = assert.rejects(shared.submit('last'), StoreUnavailable)
  const closed = shared.close()
  clock.pass(500)
  await Promise.all([last, closed])
})

it('items are gathered from turns that follow one another, for a time in which the batch before counts', async () => {
  const { clock, shared, batches, endings } = endedByHand({ inFlight: 1, maxItems: 10, gatherMs: 4 })
  const together = [shared.submit('a')]
  await turn()
  together.push(shared.submit('b'))
  for (let n = 0; n < 10; n += 1) await turn()
  assert.deepEqual(batches, [['a', 'b']])
  const next = [shared.submit('c')]
  clock.pass(4)
  endings[0]?.()
  assert.deepEqual(await Promise.all(together), ['A', 'B'])
  await turn()
  next.push(shared.submit('d'))
  await turn()
  assert.deepEqual(batches, [['a', 'b'], ['c']])
  endings[1]?.()
  for (let n = 0; n < 10; n += 1) await turn()
  const closed = shared.close()
  endings[2]?.()
  assert.deepEqual(await Promise.all(next), ['C', 'D'])
  await closed
})
