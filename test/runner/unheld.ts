/** A test that waits for a process that does not keep its own alive, and fails. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'

describe('a suite', () => {
  it('waits and fails', async () => {
    const child = spawn('sleep', ['0.2'], { stdio: 'ignore' })
    child.unref()
    console.log(`started ${child.pid}`)
    await once(child, 'exit')
    assert.fail('it has waited')
  })
})
