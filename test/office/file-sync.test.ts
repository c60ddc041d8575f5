/** Files that update the animals that are there, by a column of references, in the office, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AnimalPage, ImportResult, OfficeError, Updating, Upload } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { onSqlite } from '../support/on-each-engine.ts'

const HEADER = 'ref,name,categoryId,status\n'
const BY_REF: Updating = { reference: 'ref', missing: 'keep' }
const NOTHING = { added: 0, adopted: 0, changed: 0, restored: 0, marked: 0, removed: 0 }

onSqlite(
  (name) => `files that update, on ${name}`,
  (engine) => {
    async function begin() {
      const office = await startOfficeApp(await engine.createDatabase())
      const ada = await office.enter('Ada')
      const read = async (text: string, update = BY_REF) => {
        const { id } = (await ada.upload<Upload>(`${HEADER}${text}`)).json
        return (await ada.ask<Upload>('POST', `/api/uploads/${id}`, { rules: [], update })).json
      }
      const run = <T = ImportResult>({ id }: Upload, more = {}) =>
        ada.ask<T>('POST', '/api/imports', { upload: id, skipInvalid: false, duplicates: 'refuse', ...more })
      const animals = async () => {
        const { animals } = (await ada.ask<AnimalPage>('GET', '/api/animals?sort=oldest')).json
        return animals.map(({ name, categoryId, status }) => `${name} ${categoryId} ${status}`)
      }
      return { ada, office, read, run, animals, [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() }
    }

    it('what is told is what happens: animals are found, added and changed, and one act takes it back', async () => {
      await using office = await begin()
      const { store } = office.office
      for (const name of ['Mia', 'Tom', 'Tom', 'Own'])
        await store.pets.create({ name, categoryId: 7n, status: 'available' })
      const first = await office.read('a,Mia,7,sold\nb,Tom,7,\nc,Rex,8,\n')
      const { changes = [], ...update } = first.update ?? {}
      const namesake = (reference: string, name: string, id: string) => {
        return { reference, name, id, status: 'available', sinceMs: null }
      }
      assert.deepEqual(
        changes.map(({ kind, id, reference, before, now }) => [kind, id, reference, before?.status, now.status]),
        [
          ['added', null, 'a', undefined, 'sold'],
          ['added', null, 'b', undefined, null],
          ['added', null, 'c', undefined, null],
        ],
      )
      assert.deepEqual(update, {
        counts: { ...NOTHING, added: 3 },
        unclear: 1,
        unclearRows: [{ reference: 'b', name: 'Tom', animals: [namesake('b', 'Tom', '2'), namesake('b', 'Tom', '3')] }],
        alike: { rows: 1, first: [namesake('a', 'Mia', '1')] },
        reassigned: null,
        unlisted: 0,
        tooMany: null,
      })
      assert.deepEqual([first.animals, first.badRows, first.duplicates], [3, 0, 0])
      assert.equal((await office.animals()).length, 4, 'nothing was changed yet')
      const unsaid = await office.run<OfficeError>(first)
      assert.match(unsaid.json.message, /^2 new rows look like animals that are here already; nothing was changed/)
      const { json: done } = await office.run(first, { adopts: ['a'] })
      assert.deepEqual(done.updated, { ...NOTHING, adopted: 1, added: 2 })
      const kept = ['Tom 7 available', 'Tom 7 available', 'Own 7 available']
      assert.deepEqual(await office.animals(), ['Mia 7 sold', ...kept, 'Tom 7 null', 'Rex 8 null'])
      const same = await office.read('a,Mia,7,sold\nb,Tom,7,\nc,Rex,8,\n')
      assert.deepEqual(same.update?.counts, NOTHING)
      const { json: nothing } = await office.run(same)
      assert.deepEqual([nothing.n, nothing.updated], [null, NOTHING])
      const { json: undone } = await office.ada.ask('POST', `/api/imports/${done.n}/undo`, {})
      assert.deepEqual(undone, { removed: 2, putBack: 1, kept: 0 })
      assert.deepEqual(await office.animals(), ['Mia 7 available', ...kept])
    })

    it('animals that the file has no more stay, are sold or are removed, as was chosen; of many, if that is agreed to', async () => {
      await using office = await begin()
      await office.run(await office.read('a,Mia,7,\nb,Tom,7,\nc,Rex,8,\n'))
      const kept = await office.read('a,Mia,7,\nc,Rex,8,\n')
      assert.deepEqual([kept.update?.unlisted, kept.update?.counts], [1, NOTHING])
      const sold = await office.read('a,Mia,7,\nc,Rex,8,\n', { ...BY_REF, missing: 'sold' })
      assert.deepEqual(sold.update?.counts, { ...NOTHING, marked: 1 })
      assert.deepEqual(sold.update?.tooMany, { changed: 1, of: 3 })
      const refused = await office.run<OfficeError>(sold)
      assert.deepEqual(
        [refused.status, refused.json.message],
        [400, '1 of 3 animals would change or go, more than 10%; nothing was changed.'],
      )
      assert.deepEqual((await office.run(sold, { agrees: true })).json.updated, sold.update?.counts)
      await office.run(await office.read('a,Mia,7,\n', { ...BY_REF, missing: 'remove' }), { agrees: true })
      assert.deepEqual(await office.animals(), ['Mia 7 null'])
    })

    it('numbers that were given to other animals change nothing, unless these are said to be the same', async () => {
      await using office = await begin()
      await office.run(await office.read('a,Mia,7,\nb,Tom,7,\nc,Rex,8,\n'))
      const other = await office.read('a,Rex,8,\nb,Bo,8,\nc,Rex,8,\n')
      assert.deepEqual(other.update?.reassigned, { animals: 2, reference: 'a', was: 'Mia', now: 'Rex' })
      const refused = await office.run<OfficeError>(other, { agrees: true })
      assert.match(refused.json.message, /^2 references stand for animals of another name and category/)
      assert.deepEqual((await office.run(other, { agrees: true, renames: true })).json.updated, {
        ...NOTHING,
        changed: 2,
      })
    })

    it('a file with a bad row changes nothing, and says where', async () => {
      await using office = await begin()
      await office.run(await office.read('a,Mia,7,\n'))
      const bad = await office.read('a,Mia,7,sold\nb,Tom,x,\n,Rex,7,\n', { ...BY_REF, missing: 'remove' })
      assert.deepEqual([bad.animals, bad.badRows, bad.problems.map(({ line }) => line)], [1, 2, [3, 4]])
      const refused = await office.run<OfficeError>(bad, { skipInvalid: true, agrees: true })
      assert.match(refused.json.message, /^Nothing was imported: the file has 2 bad rows\. Correct them\.$/)
      assert.deepEqual(await office.animals(), ['Mia 7 null'])
      const wrong = await office.read('a,Mia,7,\n', { ...BY_REF, reference: 'chip' })
      assert.match(wrong.unreadable ?? '', /chip/)
      assert.equal((await office.run(wrong)).status, 400)
    })

    it('a file whose reference is chosen no more adds its animals again', async () => {
      await using office = await begin()
      const { id } = await office.read('a,Mia,7,\n')
      const { json } = await office.ada.ask<Upload>('POST', `/api/uploads/${id}`, { rules: [] })
      assert.equal(json.update, null)
      const { json: done } = await office.run(json)
      assert.deepEqual([done.animals, done.updated], [1, null])
    })
  },
)
