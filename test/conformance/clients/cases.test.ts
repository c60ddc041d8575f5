/** Each case of the judge of clients, by a client that it alone catches; and a right client, which none does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { CLIENT_CASES, judgeClient } from '../../../conformance/src/clients/judge.ts'
import { RightClient } from './client.ts'
import { hostInMemory, virtualClock } from './virtual.ts'
import { WRONG_CLIENTS } from './wrong-clients.ts'

async function failedBy(Kind: typeof RightClient): Promise<readonly string[]> {
  const clock = virtualClock()
  const trial = { name: 'a client', clock, cases: CLIENT_CASES, atOnce: 10, host: hostInMemory }
  const report = await clock.run(judgeClient({ ...trial, open: (baseUrl, key) => new Kind(baseUrl, key, clock) }))
  return report.results.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id)
}

describe('the cases of the judge of clients', () => {
  it('are passed by a right client', async () => {
    assert.deepEqual(await failedBy(RightClient), [])
  })

  it('have a wrong client each', () => {
    const ids = CLIENT_CASES.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(Object.keys(WRONG_CLIENTS).toSorted(), ids.toSorted())
  })

  it('are all in docs/clients.md', () => {
    const page = readFileSync(`${import.meta.dirname}/../../../docs/clients.md`, 'utf8')
    const rows = CLIENT_CASES.map(({ id, title, cites }) => `| \`${id}\` | ${title} | ${cites} |`)
    assert.deepEqual(
      rows.filter((row) => !page.includes(`\n${row}\n`)),
      [],
    )
    assert.equal(page.match(/^\| `[a-z0-9-]+` \|/gm)?.length, rows.length)
  })

  for (const [id, Kind] of Object.entries(WRONG_CLIENTS)) {
    it(`${id} alone catches its wrong client`, async () => assert.deepEqual(await failedBy(Kind), [id]))
  }
})
