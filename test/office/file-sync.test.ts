/** Files with which the animals are synced, by a column of references, in the office. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AnimalPage, ImportResult, OfficeError, SyncSettings, Upload } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'

const HEADER = 'ref,name,categoryId,status\n'
const BY_REF: SyncSettings = { reference: 'ref', missing: 'keep' }
const NOTHING = { added: 0, adopted: 0, changed: 0, restored: 0, marked: 0, removed: 0 }

describe('files that are synced', () => {
  async function begin() {
    const office = await startOfficeApp()
    const ada = await office.enter('Ada')
    const read = async (text: string, sync = BY_REF) => {
      const { id } = (await ada.upload<Upload>(`${HEADER}${text}`)).json
      return (await ada.ask<Upload>('POST', `/api/uploads/${id}`, { rules: [], sync })).json
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
    for (const name of ['Mia', 'Tom', 'Tom', 'Own'])
      await office.office.store.pets.create({ name, categoryId: 7n, status: 'available' })
    // Who is sold is not the Rex of a new list.
    await office.office.store.pets.create({ name: 'Rex', categoryId: 8n, status: 'sold' })
    const first = await office.read('a,Mia,7,sold\nb,Tom,7,\nc,Rex,8,\n')
    const { counts, unclear, unclearRows, alike } = first.sync ?? {}
    const namesake = (reference: string, name: string, id: string) => {
      return { reference, name, id, status: 'available', sinceMs: null }
    }
    assert.deepEqual([counts, unclear], [{ ...NOTHING, added: 3 }, 1])
    const toms = [namesake('b', 'Tom', '2'), namesake('b', 'Tom', '3')]
    assert.deepEqual(unclearRows, [{ reference: 'b', name: 'Tom', animals: toms }])
    assert.deepEqual(alike, { rows: 1, first: [namesake('a', 'Mia', '1')] })
    assert.equal((await office.animals()).length, 5, 'nothing was changed yet')
    const unsaid = await office.run<OfficeError>(first)
    assert.match(unsaid.json.message, /^2 new rows look like animals that are here already; nothing was changed/)
    const { json: done } = await office.run(first, { adopts: ['a'] })
    assert.deepEqual(done.counts, { ...NOTHING, adopted: 1, added: 2 })
    const kept = ['Tom 7 available', 'Tom 7 available', 'Own 7 available', 'Rex 8 sold']
    assert.deepEqual(await office.animals(), ['Mia 7 sold', ...kept, 'Tom 7 null', 'Rex 8 null'])
    const { json: nothing } = await office.run(await office.read('a,Mia,7,sold\nb,Tom,7,\nc,Rex,8,\n'))
    assert.deepEqual([nothing.n, nothing.counts], [null, NOTHING])
    const { json: undone } = await office.ada.ask('POST', `/api/imports/${done.n}/undo`, {})
    assert.deepEqual(undone, { removed: 2, putBack: 1, kept: 0 })
    assert.deepEqual(await office.animals(), ['Mia 7 available', ...kept])
  })

  it('what would change much changes nothing unless that is agreed to, nor numbers of other animals, nor a bad row', async () => {
    await using office = await begin()
    await office.run(await office.read('a,Mia,7,\nb,Tom,7,\nc,Rex,8,\n'))
    const refused = async (file: Upload, more: object) => {
      const { status, json } = await office.run<OfficeError>(file, more)
      assert.equal(status, 400)
      return json.message
    }
    const bad = await office.read('a,Mia,7,sold\nb,Tom,x,\n,Rex,7,\n', { ...BY_REF, missing: 'remove' })
    assert.deepEqual([bad.animals, bad.badRows, bad.problems.map(({ line }) => line)], [1, 2, [3, 4]])
    const rows = 'Nothing was changed: the file has 2 bad rows. Correct them and try again.'
    assert.equal(await refused(bad, { skipInvalid: true, agrees: true }), rows)
    const sold = await office.read('a,Mia,7,\nc,Rex,8,\n', { ...BY_REF, missing: 'sold' })
    assert.deepEqual(sold.sync?.tooMany, { changed: 1, of: 3 })
    const share = '1 of 3 animals would change or go, more than 10%; nothing was changed.'
    assert.equal(await refused(sold, {}), share)
    const other = await office.read('a,Rex,8,\nb,Bo,8,\nc,Rex,8,\n')
    assert.deepEqual(other.sync?.reassigned, { animals: 2, reference: 'a', was: 'Mia', now: 'Rex' })
    assert.match(await refused(other, { agrees: true }), /^2 references stand for animals of another name/)
    const { json } = await office.run(other, { agrees: true, renames: true })
    assert.deepEqual(json.counts, { ...NOTHING, changed: 2 })
    const renumbered = await office.read('x,Rex,8,\ny,Bo,8,\nz,Rex,8,\n')
    assert.match(await refused(renumbered, { renames: true }), /seems to have given new references/)
    const { json: added } = await office.run(renumbered, { agrees: true })
    assert.deepEqual(added.counts, { ...NOTHING, added: 3 })
    const wrong = await office.read('a,Mia,7,\n', { ...BY_REF, reference: 'chip' })
    assert.match(wrong.unreadable ?? '', /chip/)
    assert.equal((await office.run(wrong)).status, 400)
  })

  it('a page that was open during an update, and calls things otherwise, is told to be loaded again, and does nothing', async () => {
    await using office = await begin()
    const { id } = (await office.ada.upload<Upload>(`${HEADER}a,Mia,7,\n`)).json
    const asked = [
      ['POST', `/api/uploads/${id}`, { rules: [], update: BY_REF }, 400],
      ['POST', `/api/uploads/${id}`, { update: BY_REF }, 400],
      ['POST', '/api/updates', {}, 404],
      ['GET', '/api/updates', undefined, 404],
    ] as const
    for (const [method, path, body, expected] of asked) {
      const { status, json } = await office.ada.ask<OfficeError>(method, path, body)
      assert.equal(status, expected)
      assert.match(json.message, /; load the page again, which may be of another version\.$/)
    }
  })
})
