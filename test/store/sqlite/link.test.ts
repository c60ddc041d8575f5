/** A database named by a symbolic link: SQLite's other files are next to the file itself. */

import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { MemoryCounters } from '../../../src/counters/memory-counters.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clockAt } from '../../support/time/clock.ts'

const LIMITS = { perMinute: 60, perDay: 1_000, ban: undefined }
const clock = clockAt(() => Date.UTC(2026, 10, 21, 12))

it('counters are saved also if the database is named by a link', async () => {
  const folder = temporaryFolder()
  const link = `${folder}/link.db`
  mkdirSync(`${folder}/real`)
  symlinkSync('real/pets.db', link)
  for (const remaining of [59, 58]) {
    const store = await openSqlite(link, { serving: true, clock: systemClock })
    const counters = new MemoryCounters(clock, store.counters())
    const verdict = await counters.consume('key:one', LIMITS)
    assert.equal(verdict.remaining, remaining)
    await counters.close()
    assert.equal(counters.trouble(), undefined)
    await store.close()
  }
})
