/** The report in the office: what `pets report` says, for managers, of any month. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import type { OfficeReport } from '../../src/office/office-data.ts'
import { authorAt } from '../support/author.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { onSqlite } from '../support/on-each-engine.ts'

onSqlite(
  (name) => `the office’s report, on ${name}`,
  (engine) => {
    it('says what came in and went out, who waits now and who did what, for managers', async () => {
      await using office = await startOfficeApp(await engine.createDatabase())
      const [ada, ben] = await Promise.all([office.enter('Ada', 'manager'), office.enter('Ben', 'staff')])
      const month = new Date(office.clock.nowMs).toISOString().slice(0, 7)
      const add = async (name: string, categoryId: string) => {
        const animal = { name, categoryId, status: 'available', once: randomBytes(16).toString('hex') }
        return BigInt((await ben.ask<{ id: string }>('POST', '/api/animals', animal)).json.id)
      }
      const rex = await add('Rex', '1')
      await add('Mia', '9223372036854775807')
      await office.store.records.change([rex], { status: 'sold' }, authorAt(office.clock.nowMs))
      const { status, json } = await ada.ask<OfficeReport>('GET', '/api/report')
      assert.equal(status, 200)
      assert.equal(json.month, month)
      assert.deepEqual(json.categories, [
        { id: '1', available: 1, pending: 0, none: 0, sold: 1, removed: 0 },
        { id: '9223372036854775807', available: 1, pending: 0, none: 0, sold: 0, removed: 0 },
      ])
      const { available, pending, none, medianDays } = json.wait
      assert.deepEqual([available, pending, none, medianDays, json.missing], [1, 0, 0, 0, null])
      assert.deepEqual(json.acts[0], { who: 'Ben', act: 'add', times: 2 })

      const before = await ada.ask<OfficeReport>('GET', '/api/report?month=2019-01')
      assert.deepEqual([before.status, before.json.categories, before.json.acts], [200, [], []])
      assert.equal((await ada.ask('GET', '/api/report?month=2026-13')).status, 400)
      assert.equal((await ben.ask('GET', '/api/report')).status, 403)
    })
  },
)
