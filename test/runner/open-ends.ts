/** For runner.test.ts: a test that starts a process and never ends. */
import { spawn } from 'node:child_process'
import { it } from 'node:test'

it('waits forever', async () => {
  const { pid } = spawn('sleep', ['600'])
  console.log(`started ${process.pid} ${pid}`)
  await new Promise(() => {})
})
