/** `npm test` chooses files, and leaves no process behind. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { startProgram } from '../support/service.ts'

const ROOT = `${import.meta.dirname}/../..`

function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('npm test', () => {
  it('ends with all processes of its tests on SIGTERM', async () => {
    const command = ['npm', 'test', '--', 'test/runner/open-ends.ts']
    // Without this, Node takes the run for a part of this one.
    const { process: npm, says } = startProgram(command, { cwd: ROOT, env: { NODE_TEST_CONTEXT: undefined } })
    const [, ...pids] = await says(/started (\d+) (\d+)/)
    assert.deepEqual(pids.map(isRunning), [true, true])
    const exited = once(npm, 'exit')
    npm.kill('SIGTERM')
    await exited
    const left = pids.filter(isRunning)
    for (const pid of left) process.kill(Number(pid), 'SIGKILL')
    assert.deepEqual(left, [])
  })

  it('refuses a name without tests, whatever else is named', () => {
    const named = ['test/runner/open-ends.ts', 'test/runner/gone.test.ts']
    const { status, stderr } = spawnSync(process.execPath, ['scripts/test.ts', ...named], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    assert.equal(stderr, 'There are no tests in test/runner/gone.test.ts; name files or folders, such as test/http.\n')
    assert.equal(status, 2)
  })
})
