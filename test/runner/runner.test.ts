/** A test run ends whatever a test file does, and leaves no process behind. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { redisNeeded } from '../support/servers/redis.ts'

const RUNNER = `${import.meta.dirname}/../../scripts/test.ts`
const RUN_MS = 180_000

interface Run {
  readonly code: number | null
  readonly output: string
  /** The processes that the file says it has started, as far as they still run. */
  readonly left: readonly number[]
}

interface RunOptions {
  /** For each test. */
  readonly testMs?: number
  readonly flags?: readonly string[]
  /** The run is ended once the file says this. */
  readonly until?: RegExp
}

/** Runs one file of this folder. */
function run(file: string, { testMs = 2_000, flags = [], until }: RunOptions = {}): Promise<Run> {
  const command = [process.execPath, RUNNER, `test/runner/${file}`, `--test-timeout=${testMs}`, ...flags]
  // Of two pipes, as of output and errors, either may be read first.
  const child = spawn('sh', ['-c', 'exec "$@" 2>&1', 'sh', ...command], {
    // Without this, node takes the run for a part of this one.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    timeout: RUN_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (until?.test(output)) child.kill('SIGTERM')
  })
  return new Promise((done) =>
    child.on('close', (code) => {
      const started = [...output.matchAll(/started (\d+)/g)].map(([, pid]) => Number(pid))
      assert(started.length > 0, output)
      done({ code, output, left: started.filter(isRunning) })
    }),
  )
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a run of the tests ends with 1, and leaves nothing running,', () => {
  it('when a fixture fails that has started a server', redisNeeded, async () => {
    const { code, output, left } = await run('failing-fixture.ts', { testMs: 60_000 })
    assert.equal(code, 1)
    assert.match(output, /the fixture failed/)
    assert.deepEqual(left, [])
  })

  it('when a test leaves a process, a timer and a promise open: its file ends there, and the last lines name what failed', async () => {
    const { code, output, left } = await run('open-ends.ts')
    assert.equal(code, 1)
    assert.match(output, /timed out after 2000ms'\n {4}What follows it was left out\. Its processes:\n.*sleep 600\n/)
    assert.match(output, /Alone: npm test -- test\/runner\/open-ends\.ts --test-name-pattern='waits for ever'/)
    assert.match(output, /^ {2}\S*﹣\S* a suite\S*: its program is missing/m)
    assert.match(output, /1 passed, 1 skipped, 1 failed\n\S*✖\S* test\/runner\/open-ends\.ts: waits for ever\n$/)
    assert.deepEqual(left, [])
  })

  it('when a test fails that is run by its name, also one that waits for what does not keep its process alive', async () => {
    const { code, output, left } = await run('unheld.ts', { flags: ['--test-name-pattern=waits and fails'] })
    assert.equal(code, 1, output)
    assert.match(output, /it has waited[\s\S]*0 passed, 0 skipped, 1 failed\n/)
    assert.deepEqual(left, [])
  })

  it('when what a process does at its end fails, although all its tests have passed', async () => {
    const { code, output, left } = await run('failing-end.ts')
    assert.equal(code, 1)
    assert.match(output, /Error: the folder cannot be removed[\s\S]*1 passed, 0 skipped, 1 failed\n\S*✖/)
    assert.deepEqual(left, [])
  })

  it('when it is ended while a test waits, which is named', async () => {
    const { code, output, left } = await run('open-ends.ts', { testMs: RUN_MS, until: /^waiting/m })
    assert.equal(code, 1)
    assert.match(output, /Interrupted while running:\ntest\/runner\/open-ends\.ts › waits for ever\n/)
    assert.deepEqual(left, [])
  })

  it('when it is ended while a test blocks its own thread, whose file is named', async () => {
    const { code, output, left } = await run('blocked.ts', { until: /started \d+/ })
    assert.equal(code, 1)
    assert.match(output, /Interrupted while running:\ntest\/runner\/blocked\.ts\n/)
    assert.deepEqual(left, [])
  })
})

it('a name without tests ends the run before it begins, whatever else is named', () => {
  const named = ['test/runner/open-ends.ts', 'test/runner/gone.test.ts']
  const { status, stderr } = spawnSync(process.execPath, [RUNNER, ...named], { encoding: 'utf8' })
  assert.equal(stderr, 'There are no tests in test/runner/gone.test.ts; name files or folders, such as test/http.\n')
  assert.equal(status, 2)
})
