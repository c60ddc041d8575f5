/** Callers that come together share a round trip, and each answer is as fresh as if asked for alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RoundTrips } from '../../src/store/round-trips.ts'

/** Round trips that end when told to. */
function trips(limits: { inFlight: number; groupSize: number }) {
  const groups: string[][] = []
  const endings: ((error?: Error) => void)[] = []
  const shared = new RoundTrips<string, string>((asked) => {
    groups.push([...asked])
    return new Promise((resolve, reject) => {
      endings.push((error) => (error === undefined ? resolve(asked.map((text) => text.toUpperCase())) : reject(error)))
    })
  }, limits)
  return { shared, groups, endings }
}

const turn = () => new Promise((next) => setImmediate(next))

test('those who ask in one turn leave together, and each gets its own answer', async () => {
  const { shared, groups, endings } = trips({ inFlight: 1, groupSize: 10 })
  const answers = [shared.ask('a'), shared.ask('b'), shared.ask('c')]
  await turn()
  assert.deepEqual(groups, [['a', 'b', 'c']])
  endings[0]?.()
  assert.deepEqual(await Promise.all(answers), ['A', 'B', 'C'])
})

test('who asks while a round trip is under way never gets its answer, but that of the next', async () => {
  const { shared, groups, endings } = trips({ inFlight: 1, groupSize: 10 })
  const first = shared.ask('a')
  await turn()
  const second = shared.ask('a')
  const third = shared.ask('b')
  await turn()
  assert.deepEqual(groups, [['a']])
  endings[0]?.()
  await first
  await turn()
  assert.deepEqual(groups, [['a'], ['a', 'b']])
  endings[1]?.()
  assert.deepEqual(await Promise.all([second, third]), ['A', 'B'])
})

test('no more round trips than allowed are under way, and no group is larger than allowed', async () => {
  const { shared, groups, endings } = trips({ inFlight: 2, groupSize: 3 })
  const answers = Array.from('abcdefgh', (text) => shared.ask(text))
  await turn()
  assert.deepEqual(groups, [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ])
  for (let n = 0; n < 3; n += 1) {
    endings[n]?.()
    await turn()
  }
  assert.equal((await Promise.all(answers)).join(''), 'ABCDEFGH')
})

test('a failure is that of its group only', async () => {
  const { shared, endings } = trips({ inFlight: 1, groupSize: 1 })
  const [first, second] = [shared.ask('a'), shared.ask('b')]
  await turn()
  endings[0]?.(new Error('lost'))
  await assert.rejects(first, /lost/)
  await turn()
  endings[1]?.()
  assert.equal(await second, 'B')
})
