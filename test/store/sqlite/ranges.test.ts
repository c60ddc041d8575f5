/** The ranges of ids that a search goes through, held to a look at each id. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../../src/contract/int64.ts'
import { beyond, type Range, visible } from '../../../src/store/sqlite/reading/ranges.ts'

const id = fc.bigInt({ min: -12n, max: 12n })
const range: fc.Arbitrary<Range> = fc.tuple(id, id).map(([a, b]) => (a < b ? [a, b] : [b, a]))

it('what can be seen ends at the first hidden animal on the way, and nowhere before', () => {
  fc.assert(
    fc.property(range, fc.array(range, { maxLength: 4 }), fc.constantFrom('older', 'newer'), (all, unfinished, way) => {
      const [low, high] = all
      const isHidden = (at: bigint) => unfinished.some(([first, last]) => first <= at && at <= last)
      const step = way === 'older' ? -1n : 1n
      const [begin, end] = way === 'older' ? [high, low] : [low, high]
      fc.pre(!isHidden(begin))
      let to = begin
      while (to !== end && !isHidden(to + step)) to += step
      assert.deepEqual(visible(all, unfinished, way), way === 'older' ? [to, high] : [low, to])
    }),
    { numRuns: 2_000 },
  )
})

it('there is nothing beyond either end of int64', () => {
  assert.deepEqual([beyond('older', 1n), beyond('newer', 1n)], [0n, 2n])
  assert.deepEqual([beyond('older', INT64_MIN), beyond('newer', INT64_MAX)], [undefined, undefined])
  assert.deepEqual([beyond('newer', INT64_MIN), beyond('older', INT64_MAX)], [INT64_MIN + 1n, INT64_MAX - 1n])
})
