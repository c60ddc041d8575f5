/** Settings of the whole office. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SETTING_NAMES } from '../../src/domain/settings.ts'
import type { FirstStep, PublishedPage, Session } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { batchesOf, PLAIN_IMPORT } from '../support/store.ts'

it('a first step is done once it was done, and sessions contain the shelter’s settings', async () => {
  await using office = await startOfficeApp()
  const [olga, vera] = await Promise.all([office.enter('Olga', 'operator'), office.enter('Vera', 'viewer')])
  const steps = async () => {
    const { json } = await olga.ask<FirstStep[]>('GET', '/api/first-steps')
    return Object.fromEntries(json.map(({ name, isDone }) => [name, isDone]))
  }
  await office.store.pets.create({ name: 'Rex', categoryId: 1n })
  assert.equal((await olga.ask('PUT', '/api/shelter', { name: 'Tierheim', telephone: '' })).status, 200)
  assert.deepEqual(await steps(), { settings: false, import: false, people: true }, 'one animal is no import')
  assert.equal((await olga.ask('PUT', '/api/shelter', { zone: 'Europe/Berlin' })).status, 200)
  await office.store.imports.add(batchesOf([{ name: 'Mia', categoryId: 1n }]), PLAIN_IMPORT)
  assert.deepEqual(await steps(), { settings: true, import: true, people: true })
  const none = { ...Object.fromEntries(SETTING_NAMES.map((name) => [name, ''])), zone: 'Europe/Berlin' }
  const { shelter } = (await vera.ask<Session>('GET', '/api/session')).json
  assert.deepEqual(shelter, { ...none, name: 'Tierheim' })
})

it('managers see where and when the public page was written, if there is one', async () => {
  const none = { folder: null, writtenAtMs: null, failure: null }
  const written = { folder: '/srv/site', lastSuccessMs: 7, failure: undefined }
  for (const [publishing, expected] of [
    [undefined, none],
    [written, { folder: '/srv/site', writtenAtMs: 7, failure: null }],
    [
      { ...written, failure: 'EROFS' },
      { folder: '/srv/site', writtenAtMs: 7, failure: 'EROFS' },
    ],
  ] as const) {
    await using office = await startOfficeApp({ publishing })
    const manager = await office.enter('Mia', 'manager')
    assert.deepEqual((await manager.ask<PublishedPage>('GET', '/api/page')).json, expected)
  }
})
