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

it('waits for ever', () => new Promise(() => {}))

describe('a suite', { skip: 'its program is missing' }, () => {
  it('never runs', () => {})
})
