/** Modules wait and read the time by the clock that they are given. Pages and `setImmediate`, which takes no time, do not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imports, modules } from './modules.ts'
import { read } from './tree.ts'

/** The clock itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/common/system-clock.ts': ['Date.now', 'performance.now', 'setTimeout', 'setInterval', 'clearTimeout'],
}
/** Modules that start a process or a thread. */
const STARTS = /^src\/cli\/|^src\/store\/sqlite\/worker\.ts$|^src\/service\/(?:index|publishing-thread)\.ts$/

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

  it('is taken from the system only by what starts a process or a thread', () => {
    const users = imports().flatMap(({ from, to }) => (to === 'src/common/system-clock.ts' ? [from] : []))
    const wrong = users.filter((file) => file.startsWith('src/') && !STARTS.test(file))
    assert.deepEqual(wrong, [], 'take a Clock from the caller')
  })
})
