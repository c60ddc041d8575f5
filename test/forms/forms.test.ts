/** Every value of a request, and some pairs; `npm run test:long -- --only forms` plays all pairs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newSeed } from '../support/random.ts'
import { playForms } from './play.ts'

describe('a request in any form', () => {
  it('its answer is the one that the model of the interface has (R1-R16, O1-O23)', async () => {
    const seed = newSeed()
    const { answers, findings } = await playForms({ seed, atMost: 100, answers: 1_000, mostFindings: 1 })
    const [first] = findings
    assert.equal(first, undefined, `seed ${seed}: ${first?.wrong}\n${JSON.stringify(first?.form)}`)
    assert(answers >= 1_000, `enough to tell: ${answers} answers`)
  })
})
