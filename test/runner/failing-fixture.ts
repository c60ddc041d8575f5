/** For runner.test.ts: a fixture that fails after it has started a server, which nobody stops. */
import { before, it } from 'node:test'
import { startRedis } from '../support/servers/redis.ts'

before(async () => {
  const { pid } = await startRedis()
  console.log(`started ${pid}`)
  throw new Error('the fixture failed')
})

it('never runs', () => {})
