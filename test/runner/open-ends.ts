/** For runner.test.ts: a test that leaves a process, a timer and a promise open, and a suite that is skipped. */
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { endWithTests } from '../support/servers/servers.ts'

it('passes', () => {
  const server = spawn('sleep', ['600'])
  endWithTests(server)
  console.log(`started ${server.pid}`)
  setInterval(() => {}, 1_000)
})

describe('a suite', { skip: 'its program is missing' }, () => {
  it('never runs', () => {})
})

it('waits for ever', async () => {
  // What tells the run of this test has been sent.
  await new Promise(setImmediate)
  console.log('waiting')
  await new Promise(() => {})
})

it('is left out, because what it needs may hang as well', () => {})
