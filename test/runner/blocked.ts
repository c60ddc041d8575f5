/** For runner.test.ts: a test that blocks its own thread for ever, so that no timeout of its own ends it. */
import { it } from 'node:test'
import { startService } from '../support/service.ts'

it('blocks', async () => {
  const service = await startService()
  console.log(`started ${service.process.pid}`)
  await new Promise((resolve) => setTimeout(resolve, 200)) // until the line has been read
  for (;;) {}
})
