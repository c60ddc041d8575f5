/** `pets report`, as people and programs read it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { notesOf } from '../../src/domain/report-lines.ts'
import { openStore } from '../../src/store/open.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openInSpreadsheet } from '../support/spreadsheet.ts'
import { clockAt } from '../support/time/clock.ts'

const database = `sqlite:${temporaryFolder()}/pets.db`
const run = (...args: string[]) => pets(['report', '--month', '2026-01', '--database', database, ...args])

describe('pets report', () => {
  before(async () => {
    let nowMs = Date.UTC(2025, 11, 31, 23, 59)
    const store = await openStore(database, { serving: true, clock: clockAt(() => nowMs) })
    const by = (atMs: number) => ({ who: 'Ada\u001b', atMs })
    await store.pets.create({ name: 'Rex', categoryId: 7n, status: 'available' }, 'key_a')
    nowMs += 60_000
    await store.pets.create({ name: 'Luna', categoryId: 7n, status: 'pending' }, 'key_a')
    await store.pets.create({ name: 'Old', categoryId: 8n })
    await store.pets.create({ name: 'Tom', categoryId: 7n }, 'key_a')
    await store.records.change([1n], { status: 'sold' }, by(Date.UTC(2026, 0, 31, 23, 59)))
    await store.records.remove([2n], by(Date.UTC(2026, 1, 1)))
    await store.records.remove([4n], by(Date.UTC(2026, 0, 31, 23, 59)))
    await store.categories.name(new Map([[7n, '=Dogs, "größer"']]), by(Date.UTC(2026, 0, 2)))
    await store.words.setShelter({ zone: 'UTC' }, by(Date.UTC(2026, 0, 2)))
    await store.close()
  })

  it('counts in and out of the month in UTC, and says of how many it does not know when they came', async () => {
    const { code, stdout } = await run()
    assert.equal(code, 0)
    assert.match(stdout, /^2026-01, in UTC, as the database was at /)
    assert.match(stdout, /^ +2026-01 +2025-12 +2025-01$/m)
    assert.match(stdout, /^IN +2 +1 +0$/m)
    assert.match(stdout, /^OUT +2 +0 +0$/m)
    assert.match(stdout, /^SOLD +1 +0 +0$/m)
    assert.match(stdout, /^CATEGORY +IN +AVAILABLE +PENDING +NONE +IMPORTED +OUT +SOLD +REMOVED$/m)
    assert.match(stdout, /^7 =Dogs, "größer" +2 +0 +1 +1 +0 +2 +1 +1$/m)
    assert.match(stdout, /^Waiting now: 1 \(0 available, 0 pending, 1 without a status\)\.$/m)
    assert.match(stdout, /^When 1 of them came is not known; their wait is not counted\.$/m)
    for (const act of ['edit', 'label', 'remove'])
      assert.match(stdout, new RegExp(`^Ada\\\\u\\{1b\\} +${act} +1$`, 'm'))
    assert.match(stdout, /^key_a +create +2$/m)
  })

  it('gives programs all of it as JSON, and a spreadsheet in and out as CSV with its letters, without formulas', async () => {
    const { categories, ...report } = JSON.parse((await run('--json')).stdout)
    const months = { month: '2026-01', monthBefore: '2025-12', yearBefore: '2025-01' }
    assert.partialDeepStrictEqual(report, {
      ...months,
      timeZone: 'UTC',
      recordsBegin: '2025-12-31T23:59:00.000Z',
      waiting: { available: 0, pending: 0, none: 1, known: 0, imported: 0, unknown: 1 },
      acts: [{ who: 'Ada\u001b', act: 'edit', times: 1 }],
    })
    const none = { available: 0, pending: 0, none: 0, imported: 0, sold: 0, removed: 0 }
    const before = { monthBefore: { ...none, available: 1 }, yearBefore: none }
    const dogs = { category: '7', name: '=Dogs, "größer"', ...none, pending: 1, none: 1, sold: 1, removed: 1 }
    assert.deepEqual(categories, [{ ...dogs, ...before }])
    const { stdout } = await run('--csv')
    assert(
      stdout.startsWith(`\ufeffcategory,name,figure,2026-01,2025-12,2025-01\n7,"'=Dogs, ""größer""",in,2,1,0\n`),
      stdout,
    )
    const [, ...rows] = openInSpreadsheet(stdout)
    const figures = ['in', 'available', 'pending', 'none', 'imported', 'out', 'sold', 'removed']
    assert.deepEqual(
      rows.map(([category, , figure]) => `${category} ${figure}`),
      ['7', 'all'].flatMap((category) => figures.map((figure) => `${category} ${figure}`)),
    )
    assert.deepEqual(rows[1], ['7', `'=Dogs, "größer"`, 'available', '0', '1', '0'])
  })

  it('has the first and the last month that four digits can write, and none before', async () => {
    for (const [month, others] of [
      ['0001-01', '0000-12 +0000-01'],
      ['9999-12', '9999-11 +9998-12'],
    ] as const)
      assert.match((await run('--month', month)).stdout, new RegExp(`^ +${month} +${others}$`, 'm'))
    assert.equal((await run('--month', '0000-12')).code, 2)
  })

  it('says from when a month is complete', async () => {
    const { stdout } = await pets(['report', '--month', '2025-12', '--database', database])
    const sentences = [
      'Records begin at 2025-12-31T23:59Z: what came and went before is not counted.',
      'Arrivals before 2025-12-31T23:59Z are incomplete: when 1 animal came is not known.',
    ]
    assert(stdout.includes(sentences.join('\n')), stdout)
  })

  it('has a sentence for each thing that its figures do not say', () => {
    const wait = {
      available: 5,
      pending: 0,
      none: 0,
      known: 2,
      unknown: 3,
      imported: 1,
      medianDays: 1,
      longestDays: 40,
    }
    const report = {
      months: ['2026-01', '2025-12', '2025-01'],
      zone: 'UTC',
      atMs: 0,
      categories: [],
      acts: [],
    } as const
    const facts = { ...report, wait, begunMs: 7, purged: { in: 4, out: 6 }, missing: { animals: 2, untilMs: 8 } }
    const words = { figure: String, time: (ms: number) => `time ${ms}`, status: String }
    assert.deepEqual(
      [...notesOf(facts, words)],
      [
        'Half of them have waited for 1 day or longer, the longest for 40 days.',
        'Imports brought 1 of them without the day of their arrival.',
        'When 3 of them came is not known; their wait is not counted.',
        'Not counted, because they were deleted for good and their status is not known: 4 in, 6 out.',
        'Records begin at time 7: what came and went before is not counted.',
        'Arrivals before time 8 are incomplete: when 2 animals came is not known.',
      ],
    )
  })

  it('refuses what is no month', async () => {
    const { code, stderr } = await pets(['report', '--month', '2026-13', '--database', database])
    assert.equal(code, 2)
    assert.match(stderr, /It must be a month, as 2026-11\./)
  })
})
