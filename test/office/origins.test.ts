/** An animal's history in the office, on every engine: it ends with how the animal came, as `pets show` tells it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Animal, AnimalPage, AnimalView, ImportResult, Upload } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { onSqlite } from '../support/on-each-engine.ts'

onSqlite(
  (name) => `how an animal came, in the office, on ${name}`,
  (engine) => {
    it('is told to staff: the key and its minute, the person, or the import, and nothing of what is not known', async () => {
      await using office = await startOfficeApp(await engine.createDatabase())
      const [ada, ben] = await Promise.all([office.enter('Ada'), office.enter('Ben', 'staff')])
      const originOf = async (id: bigint | string) =>
        (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.origin
      const { id: byKey } = await office.store.pets.create({ name: 'Rex', categoryId: 1n }, 'key_a')
      const { id: before } = await office.store.pets.create({ name: 'Old', categoryId: 1n })
      const body = { name: 'Mia', categoryId: '7', status: null, formToken: '0'.repeat(32) }
      const { json: added } = await ben.ask<Animal>('POST', '/api/animals', body)
      const { json: file } = await ada.upload<Upload>('name,categoryId\nTom,7\n')
      const asked = { upload: file.id, skipInvalid: false, duplicates: 'refuse' }
      const { json: done } = await ada.ask<ImportResult>('POST', '/api/imports', asked)
      const imported = (await ben.ask<AnimalPage>('GET', '/api/animals?text=tom')).json.animals[0]?.id ?? ''
      const minuteMs = Math.floor(office.clock.nowMs / 60_000) * 60_000
      assert.deepEqual(await originOf(byKey), { kind: 'key', who: 'key_a', atMs: minuteMs, importN: null })
      assert.equal(await originOf(before), null)
      const atMs = office.clock.nowMs
      assert.deepEqual(await originOf(added.id), { kind: 'person', who: 'Ben', atMs, importN: null })
      assert.deepEqual(await originOf(imported), { kind: 'import', who: 'Ada', atMs, importN: done.n })
    })
  },
)
