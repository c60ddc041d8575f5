/**
 * Shows that the kit bites: each wrong server is found by the cases that should and by no others (R1-R18). That each
 * case finds one is in kit.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CASES, isRequirement } from '../../conformance/src/index.ts'
import { together } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'
import { casesOf, WRONG } from './servers/wrong.ts'

/** Cases that cite no requirement cannot fail, unless a request of theirs ends the server. */
const OBSERVING = CASES.filter(({ cites }) => !cites.some(isRequirement)).map(({ id }) => id)

describe('wrong servers', { concurrency: 4 }, () => {
  for (const mistakes of WRONG) {
    const name = Object.keys(mistakes).join('; ')
    it(`found: ${name.length > 300 ? `${name.slice(0, 200)} … ${name.slice(-100)}` : name}`, async () => {
      const foundBy = casesOf(mistakes)
      // What looks back sees the answers to the others too.
      const needsAll = name.endsWith('death') || foundBy.some((id) => id.startsWith('every-'))
      // A megabyte of body is a sixth of the whole run, and no server here is wrong about it.
      const { results, verdict } = await runKit({
        change: together(...Object.values(mistakes)),
        skip: needsAll ? ['create-large-body'] : OBSERVING,
      })
      const found = new Map(results.flatMap(({ id, failure }) => (failure ? [[id, failure.came]] : [])))
      const [more, missing] = [new Set(found.keys()).difference(new Set(foundBy)), new Set(foundBy).difference(found)]
      const told = [...more].map((id) => `${id} found ${found.get(id)}: has its restsOn all that it should?`)
      assert.deepEqual([told, [...missing]], [[], []])
      assert.equal(verdict, 'failed')
    })
  }
})
