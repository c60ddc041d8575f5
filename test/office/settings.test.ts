/** What holds for all of the office: who sees what of it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SETTING_NAMES } from '../../src/domain/settings.ts'
import type { FirstStep, Session } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'

it('first steps that are skipped at once stay so, and sessions are told of the shelter what it was given, and no more', async () => {
  await using office = await startOfficeApp()
  const [olga, vera] = await Promise.all([office.enter('Olga', 'operator'), office.enter('Vera', 'viewer')])
  assert.equal((await olga.ask('PUT', '/api/shelter', { name: 'Tierheim', telephone: '' })).status, 200)
  await Promise.all(['keys', 'import'].map((step) => olga.ask('POST', `/api/first-steps/${step}/skip`, {})))
  const { json } = await olga.ask<FirstStep[]>('GET', '/api/first-steps')
  const states = { name: 'done', import: 'skipped', people: 'done', keys: 'skipped' }
  assert.deepEqual(Object.fromEntries(json.map(({ name, state }) => [name, state])), states)
  const none = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']))
  const { shelter } = (await vera.ask<Session>('GET', '/api/session')).json
  assert.deepEqual(shelter, { ...none, name: 'Tierheim' })
})
