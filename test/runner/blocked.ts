/** For runner.test.ts: a test that blocks its own thread forever, so that its timeout cannot end it. */
import { spawn } from 'node:child_process'
import { it } from 'node:test'
import { endWithTests } from '../support/servers.ts'

it('blocks', async () => {
  const server = spawn('sleep', ['600'])
  endWithTests(server)
  console.log(`started ${server.pid}`)
  await new Promise((resolve) => setTimeout(resolve, 500)) // until the line has been read
  for (;;) {}
})
