/** For runner.test.ts: far more tests than a pipe holds the results of, which end at once, and something left open. */

import { spawn } from 'node:child_process'
import { it } from 'node:test'
import { endWithTests } from '../support/servers/servers.ts'

const server = spawn('sleep', ['600'])
endWithTests(server)
console.log(`started ${server.pid}`)
for (let n = 0; n < 3_000; n += 1) it(`${n} is told, with a name that makes its result longer`, () => {})
