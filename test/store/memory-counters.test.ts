/** What counters in memory keep of addresses, of which there may be any number (O14). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

const ADDRESS = { perMinute: 2, perDay: undefined, ban: undefined }
const KEY = { perMinute: 2, perDay: 5, ban: undefined }

it('addresses are bounded in number, and keys are not forgotten with them', async () => {
  const counters = new MemoryCounters(new VirtualClock())
  counters.consume('key', KEY)
  for (let n = 0; n < 99_999; n += 1) counters.consume(`address ${n}`, ADDRESS)
  assert.equal(counters.peek('address 0', ADDRESS).remaining, 1)
  counters.consume('one more', ADDRESS)
  assert.equal(counters.peek('address 0', ADDRESS).remaining, 2, 'forgotten')
  assert.equal(counters.peek('one more', ADDRESS).remaining, 1)
  assert.equal(counters.peek('key', KEY).minuteUsed, 1)
  await counters.close()
})

it('an address is forgotten when its minute is over, and a key is not', async () => {
  const clock = new VirtualClock()
  const saved = new Set<string>()
  const counters = new MemoryCounters(clock, {
    load: () => new Map(),
    save: async (changes) => {
      for (const [subject, counter] of changes) counter ? saved.add(subject) : saved.delete(subject)
    },
  })
  counters.consume('key', KEY)
  counters.consume('address', ADDRESS)
  const settle = async (ms: number) => {
    clock.pass(ms)
    await new Promise(setImmediate)
  }
  await settle(50)
  assert.deepEqual([...saved], ['key', 'address'])
  // A look each minute: the second one comes after the end of any minute.
  for (let n = 0; n < 2; n += 1) await settle(60_000)
  await settle(50)
  assert.deepEqual([...saved], ['key'])
  await counters.close()
})
