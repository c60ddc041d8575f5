/** The report's route. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { toCsv } from '../../src/domain/report.ts'
import type { MonthReport } from '../../src/domain/report-lines.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { authorAt } from '../support/store.ts'

const NONE = { in: 0, imported: 0, sold: 0, left: 0, removed: 0 }
const ofMonth = ({ categories }: MonthReport) =>
  categories.map(({ categoryId, counts: [counts] }) => ({ categoryId, ...counts }))

describe('the office’s report', () => {
  it('equals the command’s report', async () => {
    await using office = await startOfficeApp()
    const [ada, ben] = await Promise.all([office.enter('Ada', 'manager'), office.enter('Ben', 'staff')])
    const added = { name: 'Rex', categoryId: '9223372036854775807', status: 'available', formToken: 'a'.repeat(32) }
    await ben.ask('POST', '/api/animals', added)
    const { json } = await ada.ask<MonthReport>('GET', '/api/report')
    assert.deepEqual(ofMonth(json), [{ ...NONE, categoryId: added.categoryId, in: 1 }])
    const file = await ada.get(`/api/report.csv?month=${json.months[0]}`)
    assert.equal(Buffer.from(await file.arrayBuffer()).toString(), toCsv(json, new Map()))
    const others = (await ben.ask<MonthReport>('GET', '/api/report')).json
    assert.deepEqual(others.categories, json.categories)
    const before = await ada.ask<MonthReport>('GET', '/api/report?month=2019-01')
    assert.deepEqual([before.status, before.json.categories], [200, []])
    for (const month of ['2026-13', '0000-12'])
      assert.equal((await ada.ask('GET', `/api/report?month=${month}`)).status, 400, month)
  })

  it('counts a month in the shelter’s or the server’s time zone, even with a clock change', async () => {
    await using office = await startOfficeApp()
    const ada = await office.enter('Ada', 'manager')
    const report = async (month: string) => (await ada.ask<MonthReport>('GET', `/api/report?month=${month}`)).json
    assert.equal((await report('2026-11')).zone, Intl.DateTimeFormat().resolvedOptions().timeZone)
    assert.equal((await ada.ask('PUT', '/api/shelter', { zone: 'Nowhere/Land' })).status, 400)
    assert.equal((await ada.ask('PUT', '/api/shelter', { zone: 'America/Los_Angeles' })).status, 200)
    // Midnight there is at 7 in October and at 8 in December.
    for (const at of ['11-01T06:59:59', '11-01T07:00:00', '12-01T07:59:59', '12-01T08:00:00']) {
      const by = authorAt(Date.parse(`2026-${at}Z`))
      await office.store.records.add(
        { name: at, categoryId: 1n, status: 'available' },
        by,
        randomBytes(16).toString('hex'),
      )
    }
    const came = async (month: string) => ofMonth(await report(month)).map((counts) => counts.in)
    assert.deepEqual([await came('2026-10'), await came('2026-11'), await came('2026-12')], [[1], [2], [1]])
  })
})
