/**
 * What waits or reads a clock does it through the one that it is given (src/common/clock.ts). Pages run in a browser,
 * and are not looked at. Nor is `setImmediate`: it is the next turn of the event loop, which takes no time.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imports, modules } from './modules.ts'
import { read } from './tree.ts'

/** By name, with what is taken from the system. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The clock itself.
  'src/common/system-clock.ts': ['Date.now', 'performance.now', 'setTimeout', 'setInterval', 'clearTimeout'],
}
/** What starts a process or a thread, and passes the system's clock on; and what gives it to programs of others. */
const STARTS = /^src\/cli\/|^src\/store\/sqlite\/worker\.ts$|^src\/service\/(?:index|publishing-thread)\.ts$/

/** Tests of what the system's clock does, and the clocks of tests that are made of it. */
const TESTS_OF_SYSTEM = [
  'test/cli/files/trouble.test.ts',
  'test/common/system-clock.test.ts',
  'test/operator/port.test.ts',
  'test/support/time/clock.ts',
]

const OF_SYSTEM =
  /\b(?:Date\.now|new Date\(\)|performance\.now|process\.hrtime|[sc](?:et|lear)(?:Timeout|Interval)|Atomics\.wait|AbortSignal\.timeout)(?!\w)|import (?!\{ setImmediate(?: as \w+)? \} )[^']*'node:timers(?:\/promises)?'/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
const PAGES = /^src\/office\/page\//

const taken = (text: string): readonly string[] => text.replace(COMMENT, '').match(OF_SYSTEM) ?? []
const looked = modules.filter((file) => file.startsWith('src/') && !PAGES.test(file))

describe('time', () => {
  it('is that of the clock which each module is given', () => {
    const found = looked.flatMap((file) =>
      taken(read(file))
        .filter((name) => !ALLOWED[file]?.includes(name))
        .map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(found, [], 'take a Clock from the caller')
    assert(looked.length > 0)
  })

  const users = imports().flatMap(({ from, to }) => (to === 'src/common/system-clock.ts' ? [from] : []))

  it('is taken from the system only by what starts a process or a thread', () => {
    assert.deepEqual(
      users.filter((file) => file.startsWith('src/') && !STARTS.test(file)),
      [],
      'take a Clock from the caller',
    )
  })

  it('is taken from the system by no test but of the system, so that none fails where the machine is busy', () => {
    assert.deepEqual(
      users.filter((file) => file.startsWith('test/')).sort(),
      TESTS_OF_SYSTEM,
      'take patientClock (test/support/time/clock.ts) where no wait is measured, or else a VirtualClock',
    )
  })
})
