/** For runner.test.ts: a test that leaves a service, a timer and a promise open. */
import { it } from 'node:test'
import { startService } from '../support/service.ts'

it('passes', async () => {
  const service = await startService()
  console.log(`started ${service.process.pid}`)
  setInterval(() => {}, 1_000)
})

it('waits for ever', () => new Promise(() => {}))
