/** For runner.test.ts: a test that blocks its own thread forever, so that its timeout cannot end it. */
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { it } from 'node:test'
import { endWithTests } from '../support/servers/servers.ts'

it('blocks', () => {
  const server = spawn('sleep', ['600'])
  endWithTests(server)
  writeSync(1, `started ${server.pid}\n`)
  for (;;) {}
})
