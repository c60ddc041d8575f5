/** Files that sync animals by a column of references. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AnimalPage, ImportResult, OfficeError, Upload } from '../../src/office/office-data.ts'
import { startOfficeApp } from '../support/office-app.ts'

const HEADER = 'ref,name,categoryId,status\n'
const BY_REF =
  'reference = ref\nname = name\ncategory = categoryId\nstatus = status\nstatus: sold = sold\nstatus: = none\n'
const NOTHING = { added: 0, adopted: 0, changed: 0, restored: 0, left: 0, marked: 0, removed: 0 }

describe('a synced file', () => {
  async function begin() {
    const office = await startOfficeApp()
    const ada = await office.enter('Ada')
    const read = async (text: string, mapping = BY_REF) => {
      const { id } = (await ada.upload<Upload>(`${HEADER}${text}`)).json
      const { json } = await ada.ask<Upload>('POST', `/api/uploads/${id}`, { mapping })
      return { ...json, ...json.found }
    }
    const run = <T = ImportResult>({ id }: Pick<Upload, 'id'>, more = {}) =>
      ada.ask<T>('POST', '/api/imports', { upload: id, skipInvalid: false, duplicates: 'refuse', ...more })
    const animals = async () => {
      const { animals } = (await ada.ask<AnimalPage>('GET', '/api/animals?sort=oldest')).json
      return animals.map(({ name, categoryId, status }) => `${name} ${categoryId} ${status}`)
    }
    return { ada, office, read, run, animals, [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() }
  }

  it('does what the review says, and one undo reverses it', async () => {
    await using office = await begin()
    for (const name of ['Mia', 'Tom', 'Tom', 'Own'])
      await office.office.store.pets.create({ name, categoryId: 7n, status: 'available' })
    // A sold animal is not the Rex of a new list.
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
    assert.match(
      unsaid.json.message,
      /^Say whether the 2 new rows that look like animals here are these animals\. Nothing/,
    )
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

  it('changes nothing without consent to large changes, or with an invalid row', async () => {
    await using office = await begin()
    await office.run(await office.read('a,Mia,7,\nb,Tom,7,\nc,Rex,8,\n'))
    const refused = async (file: Pick<Upload, 'id'>, more: object) => {
      const { status, json } = await office.run<OfficeError>(file, more)
      assert.equal(status, 400)
      return json.message
    }
    const bad = await office.read(
      'a,Mia,7,sold\nb,Tom,x,\n,Rex,7,\n',
      `${BY_REF}category: x = 99999999999999999999\nmissing = remove`,
    )
    assert.deepEqual([bad.animals, bad.badRows, bad.problems?.map(({ line }) => line)], [1, 2, [3, 4]])
    const rows = 'Nothing was changed: the file has 2 invalid rows. Correct the file, or '
    const whole = `${rows}keep missing animals as they are: the animals of skipped rows would be missing.`
    assert.equal(await refused(bad, { agrees: true, skipInvalid: true }), whole)
    const sold = await office.read('a,Mia,7,\nc,Rex,8,\n', `${BY_REF}missing = sold`)
    const share = '1 of 3 animals would change or go.'
    assert.deepEqual([sold.sync?.guard, sold.sync?.unlistedRows.map(({ name }) => name)], [share, ['Tom']])
    assert.equal(await refused(sold, {}), `${share} Agree to it first. Nothing was changed.`)
    const other = await office.read('a,Rex,8,\nb,Bo,8,\nc,Rex,8,\n', `${BY_REF}missing = keep`)
    assert.match(
      other.sync?.guard ?? '',
      /2 references stand for an animal of another name .* \(a was Mia and is Rex now\)/,
    )
    const { json } = await office.run(other, { agrees: true })
    assert.deepEqual(json.counts, { ...NOTHING, changed: 2 })
    const kept = await office.read('a,Rex,8,\nb,Bo,8,\nc,Rex,8,\n,Bo,7,\nd,Cy,7,\n')
    assert.equal(await refused(kept, {}), `${rows.replace('2 invalid rows', '1 invalid row')}skip invalid rows.`)
    const { json: skipped } = await office.run(kept, { skipInvalid: true })
    assert.deepEqual([skipped.counts, skipped.badRows], [{ ...NOTHING, added: 1 }, 1])
    const wrong = await office.read('a,Mia,7,\n', BY_REF.replace('ref\n', 'chip\n'))
    assert.deepEqual([wrong.found, wrong.lines.find(({ key }) => key === 'reference')?.value], [undefined, '?'])
    assert.equal((await office.run(wrong)).status, 400)
  })

  it('shows up to 1,000 changes', async () => {
    await using office = await begin()
    const { found } = await office.read(Array.from({ length: 1_001 }, (_, n) => `r${n},Animal ${n},7,\n`).join(''))
    assert.equal(found?.changes.length, 1_000)
  })

  it('names a missing animal only while it is available or pending, or would be changed', async () => {
    await using office = await begin()
    const rows = ['a,Mia,7,available', 'b,Tom,7,sold', 'c,Rex,7,', 'd,Bo,7,pending'].map((row) => `${row}\n`)
    const mapping = (missing: string) =>
      `${BY_REF}status: available = available\nstatus: pending = pending\nmissing = ${missing}`
    await office.run(await office.read(rows.join(''), mapping('keep')))
    for (const [missing, names] of [
      ['keep', 'Bo'],
      ['sold', 'Rex,Bo'],
      ['remove', 'Tom,Rex,Bo'],
    ] as const) {
      const { sync } = await office.read(rows[0] ?? '', mapping(missing))
      assert.equal(sync?.unlistedRows.map(({ name }) => name).join(), names)
      assert.equal(sync?.unlisted, sync?.unlistedRows.length)
    }
  })

  it('is read as confirmed once, no matter who uploads the next one', async () => {
    await using office = await begin()
    const first = await office.ada.upload<Upload>('No,Call,Kind,State\n1,Rex,Dog,Blue list\n2,Mia,Cat,Ready\n')
    const open = first.json.lines.filter(({ value }) => value === '?').map(({ key }) => key)
    assert.deepEqual([open.includes('name'), first.json.found, first.json.confirmed], [true, undefined, null])
    const mapping =
      'reference = No\nname = Call\ncategory = Kind\nstatus = State\nstatus: Ready = available\nstatus: Blue list = pending'
    const { json: review } = await office.ada.ask<Upload>('POST', `/api/uploads/${first.json.id}`, { mapping })
    assert.deepEqual(
      review.found?.changes.map(({ now }) => now.status),
      ['pending', 'available'],
    )
    assert.deepEqual((await office.ada.ask<Upload>('GET', '/api/uploads')).json, review, 'the review comes back')
    assert.equal((await office.run(review)).json.counts?.added, 2)
    assert.equal((await office.ada.ask<null>('GET', '/api/uploads')).json, null)
    const ben = await office.office.enter('Ben')
    const { json: second } = await ben.upload<Upload>('No,Call,Kind,State\n1,Rex,Dog,Ready\n2,Mia,Cat,Ready\n')
    assert.deepEqual([second.confirmed?.who, second.found?.sync?.counts.changed], ['Ada', 1])
    const { json: third } = await ben.upload<Upload>('No,Call,Kind,State\n1,Rex,Dog,Gone home\n')
    assert.deepEqual(
      third.lines.filter(({ value }) => value === '?').map(({ key }) => key),
      ['status: Gone home'],
    )
  })

  it('is refused with advice to reload if the page is of another version', async () => {
    await using office = await begin()
    const { id } = (await office.ada.upload<Upload>(`${HEADER}a,Mia,7,\n`)).json
    const asked = [
      ['POST', `/api/uploads/${id}`, { rules: [] }, 400],
      ['POST', `/api/uploads/${id}`, { sync: {} }, 400],
      ['POST', '/api/updates', {}, 404],
      ['GET', '/api/updates', undefined, 404],
    ] as const
    for (const [method, path, body, expected] of asked) {
      const { status, json } = await office.ada.ask<OfficeError>(method, path, body)
      assert.equal(status, expected)
      assert.match(json.message, / Reload the page: it might be from another version of the service\.$/)
    }
  })
})
