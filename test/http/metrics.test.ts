/** What the public port counts of its answers; the operator port shows the numbers. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { BASE_PATH, OPERATIONS } from '../../src/contract/operations.ts'
import { DURATION_BUCKETS_S, Metrics } from '../../src/http/metrics.ts'
import { startApp } from '../support/app.ts'

it('a duration is counted at the first bound that it does not exceed', () => {
  const metrics = new Metrics()
  for (const seconds of [0, 0.0001, 0.00011, 2.5, 2.6, 100]) metrics.countResponse('listPets', 200, seconds)
  const { buckets = [], seconds = 0 } = metrics.operations.get('listPets') ?? {}
  assert.deepEqual([buckets[0], buckets[1], buckets.at(-2), buckets.at(-1)], [2, 1, 1, 2])
  assert.equal(buckets.length, DURATION_BUCKETS_S.length + 1)
  assert.equal(seconds.toFixed(5), '105.10021')
})

it('each operation of the contract is counted under its name', async () => {
  await using app = await startApp()
  const key = await app.issue('free')
  for (const [name, { method, path }] of Object.entries(OPERATIONS)) {
    const { status } = await app.call({ key, method, path: `${BASE_PATH}${path.replace(/\{\w+\}/, '1')}` })
    assert(status !== 405 && status !== 501, `${name}: ${status}`)
    assert(app.metrics.operations.get(name)?.statuses.has(status), name)
  }
})

it('responses with a status are counted over all operations', () => {
  const metrics = new Metrics()
  for (const status of [500, 500, 404]) metrics.countResponse('getPet', status, 0.001)
  metrics.countResponse('listPets', 500, 0.001)
  assert.deepEqual([metrics.responsesWith(500), metrics.responsesWith(404), metrics.responsesWith(503)], [3, 1, 0])
})
