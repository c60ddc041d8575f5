/** Taking back in the office, on every engine: removing and restoring, one's own addition, and the last act. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, it } from 'node:test'
import { INT64_MAX } from '../../src/contract/int64.ts'
import type {
  Animal,
  AnimalPage,
  AnimalView,
  Conflict,
  OfficeError,
  Saved,
  StatusChanged,
} from '../../src/office/office-data.ts'
import { type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import type { SignedInClient } from '../support/office-client.ts'
import { onSqlite } from '../support/on-each-engine.ts'

const formToken = () => randomBytes(16).toString('hex')
const MIA = { name: 'Mia', categoryId: '7', status: 'available' } as const

onSqlite(
  (name) => `taking back in the office, on ${name}`,
  (engine) => {
    let office: OfficeApp
    let ada: SignedInClient
    let ben: SignedInClient

    beforeEach(async () => {
      office = await startOfficeApp(await engine.createDatabase())
      ;[ada, ben] = await Promise.all([office.enter('Ada'), office.enter('Ben', 'staff')])
    })
    afterEach(() => office[Symbol.asyncDispose]())

    const add = async (name: string, more: Partial<Animal> = {}) =>
      (await ada.ask<Animal>('POST', '/api/animals', { ...MIA, ...more, name, formToken: formToken() })).json
    const page = async (query: string) => (await ben.ask<AnimalPage>('GET', `/api/animals?${query}`)).json

    it('a removed animal is found by its number, with the day of its end, and comes back', async () => {
      const { id, version } = await add('Mia')
      assert.equal((await ben.ask('POST', `/api/animals/${id}/remove`, { version })).status, 403)
      const { json } = await ada.ask<Animal>('POST', `/api/animals/${id}/remove`, { version })
      assert.equal(json.removedAtMs, office.clock.nowMs)
      assert.deepEqual((await page('')).animals, [])
      assert.deepEqual((await page(`text=${id}`)).animals, [json])
      const view = (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json
      assert.equal(view.purgedAtMs, office.clock.nowMs + 30 * 86_400_000)
      const changed = await ben.ask<Conflict>('PATCH', `/api/animals/${id}`, { version: json.version, status: 'sold' })
      assert.deepEqual([changed.status, changed.json.current], [409, json])
      assert.equal((await ben.ask('POST', `/api/animals/${id}/restore`, {})).status, 403)
      assert.equal(view.mayRemove, false)
      const back = (await ada.ask<Animal>('POST', `/api/animals/${id}/restore`, {})).json
      assert.deepEqual([back.removedAtMs, back.name], [null, 'Mia'])
      assert.equal((await ada.ask('POST', `/api/animals/${id}/restore`, {})).status, 404)
    })

    it('staff take back what they added by mistake, and only as long as nobody else has changed it', async () => {
      const own = async () => (await ben.ask<Animal>('POST', '/api/animals', { ...MIA, formToken: formToken() })).json
      const act = (what: string, id: string, version: string) =>
        ben.ask<Animal>('POST', `/api/animals/${id}/${what}`, { version })
      const may = async (id: string) => (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.mayRemove
      const first = await own()
      const sold = await ben.ask<Saved>('PATCH', `/api/animals/${first.id}`, { ...first, name: 'Mira' })
      assert.equal((await act('remove', first.id, first.version)).status, 409)
      assert.equal(await may(first.id), true)
      const gone = await act('remove', first.id, sold.json.animal.version)
      assert.deepEqual([gone.status, gone.json.name, await may(first.id)], [200, 'Mira', true])
      const back = await act('restore', first.id, gone.json.version)
      assert.deepEqual([back.status, back.json.removedAtMs], [200, null])
      const removed = await ada.ask<Animal>('POST', `/api/animals/${first.id}/remove`, back.json)
      assert.deepEqual([(await act('restore', first.id, '')).status, await may(first.id)], [403, false])
      await ada.ask('POST', `/api/animals/${first.id}/restore`, removed.json)

      const [theirs, changed] = [await add('Rex'), await own()]
      const now = await ada.ask<Saved>('PATCH', `/api/animals/${changed.id}`, { ...changed, status: 'sold' })
      for (const { id, version } of [theirs, now.json.animal]) {
        assert.equal(await may(id), false)
        const refused = await act('remove', id, version)
        assert.deepEqual([refused.status, (refused.json as unknown as OfficeError).code], [403, 'forbidden'])
        assert.notEqual(await office.store.pets.get(BigInt(id)), undefined)
      }
    })

    it('the last act on an animal is undone with every digit, as long as nobody has changed it since', async () => {
      const name = `${'Ł'.repeat(300)}!`
      const added = await add(name, { categoryId: String(INT64_MAX), status: null })
      const { id } = added
      const undo = (version: string, by = ben) => by.ask<Animal>('POST', `/api/animals/${id}/undo`, { version })
      const may = async () => (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.mayUndo
      assert.deepEqual([(await undo(added.version)).status, await may()], [403, false])
      const edit = { version: added.version, name: 'Mira', categoryId: '7', status: 'sold' }
      const edited = (await ada.ask<Saved>('PATCH', `/api/animals/${id}`, edit)).json.animal
      assert.equal(await may(), true)
      const former = (await undo(edited.version)).json
      assert.deepEqual([former.name, former.categoryId, former.status], [name, String(INT64_MAX), null])
      const late = await undo(edited.version)
      assert.deepEqual([late.status, (late.json as unknown as Conflict).current], [409, former])

      const gone = (await ada.ask<Animal>('POST', `/api/animals/${id}/remove`, former)).json
      assert.deepEqual([(await undo(gone.version)).status, await may()], [403, false])
      const back = (await undo(gone.version, ada)).json
      assert.deepEqual([back.name, back.removedAtMs], [name, null])
      assert.equal((await undo(back.version)).status, 403)
      assert.notEqual((await undo(back.version, ada)).json.removedAtMs, null)
    })

    it('the status of several is undone at once, each to its own, and what somebody has changed since stays', async () => {
      const [mia, rex, tom] = [await add('Mia'), await add('Rex', { status: 'pending' }), await add('Tom')]
      const body = { animals: [mia, rex, tom].map(({ id, version }) => ({ id, version })), status: 'sold' }
      const { changed } = (await ben.ask<StatusChanged>('POST', '/api/animals/status', body)).json
      const last = changed.find(({ id }) => id === tom.id)
      await ada.ask('PATCH', `/api/animals/${tom.id}`, { version: last?.version, name: 'Tommy' })
      const animals = changed.map(({ id, version }) => ({ id, version }))
      const { json } = await ben.ask<StatusChanged>('POST', '/api/animals/undo', { animals })
      assert.deepEqual(
        json.changed.map(({ id, status }) => [id, status]),
        [mia, rex].map(({ id, status }) => [id, status]),
      )
      assert.deepEqual(
        json.conflicts.map(({ id, status, name }) => [id, status, name]),
        [[tom.id, 'sold', 'Tommy']],
      )
    })
  },
)
