/** The office's routes for animals. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import type {
  ActResult,
  ActTarget,
  Animal,
  AnimalPage,
  AnimalView,
  JournalPage,
  Namesake,
  OfficeError,
  Saved,
} from '../../src/office/office-data.ts'
import { MAX_TARGETS } from '../../src/office/payloads/animals.ts'
import type { FileRow } from '../../src/store/staging.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { statusesOf } from '../support/http.ts'
import { BODY_LIMIT, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import type { SignedInClient } from '../support/office-client.ts'
import { authorAt, batchesOf, PLAIN_IMPORT, PLAIN_SYNC } from '../support/store.ts'

const formToken = () => randomBytes(16).toString('hex')
const MIA = { name: 'Mia', categoryId: '7', status: 'available' } as const

describe('the office’s animals', () => {
  let file: string
  let store: Store
  let office: OfficeApp
  let ada: SignedInClient
  let ben: SignedInClient

  beforeEach(async () => {
    file = `${temporaryFolder()}/pets.db`
    await begin()
    ;[ada, ben] = await Promise.all([office.enter('Ada'), office.enter('Ben', 'staff')])
  })
  afterEach(() => end())

  async function begin() {
    office = await startOfficeApp({ file })
    ;({ store } = office)
  }
  const end = () => office[Symbol.asyncDispose]()
  const add = async (name: string, more: Partial<Animal> = {}) =>
    (await ada.ask<Animal>('POST', '/api/animals', { ...MIA, ...more, name, formToken: formToken() })).json
  const page = async (query: string) => (await ben.ask<AnimalPage>('GET', `/api/animals?${query}`)).json
  const all = async (query: string) => (await ben.ask<ActTarget[]>('GET', `/api/animals/found?${query}`)).json
  const ids = (animals: readonly Animal[]) => animals.map(({ id }) => id)

  it('are sorted by best match in a search, unless the newest are asked for', async () => {
    for (const name of ['Mia', 'Lamia', 'Ole Mia', 'Mia 2']) await add(name)
    const names = async (query: string) => (await page(query)).animals.map(({ name }) => name).join()
    const { older } = await page('text=mia&limit=3')
    assert.equal(await names('text=mia&limit=3'), 'Mia,Mia 2,Ole Mia')
    assert.equal(await names(`text=mia&limit=3&before=${older}`), 'Lamia')
    assert.equal(await names('text=mia&sort=newest'), 'Mia 2,Ole Mia,Lamia,Mia')
  })

  it('appear in the list, the API and their history once added', async () => {
    await store.words.setShelter({ zone: 'UTC' }, authorAt(office.clock.nowMs))
    const name = '<img src=x onerror=alert(1)> \u{1f431} "\u202e'
    const body = { name, categoryId: String(INT64_MAX), status: null, formToken: formToken() }
    const { status, json } = await ben.ask<Animal>('POST', '/api/animals', body)
    assert.equal(status, 201)
    const { id, version } = json
    assert.deepEqual(json, { id, name, categoryId: String(INT64_MAX), status: null, version, removedAtMs: null })
    const wait = { sinceMs: Math.floor(office.clock.nowMs / 86_400_000) * 86_400_000, isAgain: false }
    assert.deepEqual((await page('')).animals, [{ ...json, reference: null, wait, removedBy: null }])
    assert.deepEqual((await page('')).counts, { available: 0, pending: 0, sold: 0, none: 1, removed: 0 })
    const inInterface = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${INT64_MAX}}`
    assert.equal(await store.pets.get(BigInt(id)), inInterface)
    const view = (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json
    const [line] = view.history
    assert.deepEqual([line?.act, line?.who, line?.to], ['add', 'Ben', { name, categoryId: String(INT64_MAX) }])
  })

  it('are added once if a form is sent twice, even together or after a restart', async () => {
    const body = { ...MIA, formToken: formToken() }
    const send = () => ben.ask<Animal>('POST', '/api/animals', body)
    const both = await Promise.all([send(), send(), send()])
    assert.deepEqual(statusesOf(both).sort(), [200, 200, 201])
    await end()
    await begin()
    ben = await office.enter('Eve', 'staff')
    const again = await send()
    assert.deepEqual([again.status, again.json], [200, both[0]?.json])
    assert.deepEqual(ids((await page('')).animals), [both[0]?.json.id])
  })

  it('are found by reference, and listed with it and since when they wait', async () => {
    const row = { name: 'Princess', categoryId: 1n, status: null, reference: 'LB-00001', line: 1, cameOn: 20_000 }
    await store.sync.run(batchesOf([row]), PLAIN_SYNC)
    const { animals } = await page('text=lb-00001')
    const facts = animals.map(({ name, reference, wait, removedBy }) => ({ name, reference, wait, removedBy }))
    const wait = { sinceMs: 20_000 * 86_400_000, isAgain: false }
    assert.deepEqual(facts, [{ name: 'Princess', reference: 'LB-00001', wait, removedBy: null }])
  })

  it('appear once in the pages of each order, forwards and backwards', async () => {
    for (let n = 0; n < 12; n += 1) await add(`Mia ${n}`, { status: n % 3 === 0 ? null : 'available' })
    for (const query of ['', 'status=available', 'text=mi&status=none', 'category=7&text=mia']) {
      const all = ids((await page(`${query}&sort=newest`)).animals)
      for (const [sort, wanted] of [
        ['newest', all],
        ['oldest', all.toReversed()],
      ] as const) {
        const forwards: string[] = []
        let last = await page(`${query}&sort=${sort}&limit=5`)
        assert.equal(last.newer, null)
        for (;;) {
          assert.equal(last.first, forwards.length + 1)
          forwards.push(...ids(last.animals))
          if (last.older === null) break
          last = await page(`${query}&sort=${sort}&limit=5&before=${last.older}`)
        }
        assert.deepEqual(forwards, wanted, query)
        last = await page(`${query}&sort=${sort}&limit=5&after=end`)
        assert.equal(last.older, null)
        const backwards = ids(last.animals)
        while (last.newer !== null) {
          last = await page(`${query}&sort=${sort}&limit=5&after=${last.newer}`)
          backwards.unshift(...ids(last.animals))
        }
        assert.deepEqual(backwards, wanted, query)
      }
    }
  })

  it('are found by number first, even if removed, before names that contain it', async () => {
    const first = await add('Rex')
    const [a, b] = [await add(`Mia ${first.id}`), await add(`${first.id} Tom`)]
    const own = await add(`Kit ${BigInt(b.id) + 1n}`)
    assert.deepEqual(ids((await page(`text=${own.id}`)).animals), [own.id])
    assert.deepEqual(ids((await page(`text=${first.id}&status=sold`)).animals), [])
    const short = await page(`text=${first.id}&limit=2`)
    assert.deepEqual([ids(short.animals), short.counts.available], [[first.id, b.id], 3])
    assert.deepEqual(ids((await page(`text=${first.id}&limit=2&before=${short.older}`)).animals), [a.id])
    const { json } = await ada.ask<ActResult>('POST', '/api/animals/acts', { act: 'remove', animals: [own] })
    const [removed] = (await page(`text=${own.id}`)).animals
    assert.deepEqual([removed, removed?.removedBy], [{ ...removed, ...json.animals[0] }, 'Ada'])
    const view = (await ben.ask<AnimalView>('GET', `/api/animals/${own.id}`)).json
    assert.equal(view.purgedAtMs, office.clock.nowMs + 30 * 86_400_000)
  })

  it('have exact ids up to the ends of int64, found as people write them', async () => {
    const row = { name: 'Max', categoryId: String(INT64_MIN), status: undefined }
    await store.archive.putAnimals([INT64_MAX - 1n, 1_000_000n].map((id) => ({ ...row, id: String(id) })))
    const [max] = (await page(`text=${INT64_MAX - 1n}`)).animals
    assert.deepEqual([max?.id, max?.categoryId], [String(INT64_MAX - 1n), String(INT64_MIN)])
    for (const text of ['1,000,000', '1%20000%20000', '1000000'])
      assert.deepEqual(ids((await page(`text=${text}`)).animals), ['1000000'])
    const body = { version: '0', status: 'sold' }
    const changed = await ben.ask<Saved>('PATCH', `/api/animals/${INT64_MAX - 1n}`, body)
    assert.deepEqual([changed.status, changed.json.animal.status], [200, 'sold'])
    for (const none of [String(INT64_MAX + 1n), '01'])
      assert.equal((await ben.ask('GET', `/api/animals/${none}`)).status, 404)
  })

  it('have names as long as an API body allows, shortened in lists', async () => {
    const name = 'é'.repeat(BODY_LIMIT / 2)
    const { id } = await add(name)
    assert.equal((await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.animal.name, name)
    assert.equal((await page(`text=${id}`)).animals[0]?.name, `${'é'.repeat(200)}…`)
    const long = { ...MIA, name: `${name}x`, formToken: formToken() }
    const { status, json } = await ben.ask<OfficeError>('POST', '/api/animals', long)
    assert.deepEqual([status, json.code], [400, 'invalid'])
    assert.match(json.message, /has 65537 bytes, and 65536 are allowed/)
  })

  it('are refused with a reason, and not stored, if invalid', async () => {
    for (const [bad, message] of [
      [{ name: 'a\0b' }, /character that cannot be stored/],
      [{ name: '\ud800' }, /character that cannot be stored/],
      [{ categoryId: '9223372036854775808' }, /must be a whole number from -9223372036854775808/],
      [{ categoryId: '07' }, /must be a whole number/],
      [{ categoryId: 7 }, /categoryId must be string/],
      [{ formToken: 'x' }, /formToken/],
    ] as const) {
      const body = { ...MIA, formToken: formToken(), ...bad }
      const { status, json } = await ben.ask<OfficeError>('POST', '/api/animals', body)
      assert.deepEqual([status, json.code], [400, 'invalid'], JSON.stringify(bad))
      assert.match(json.message, message)
    }
    for (const query of ['text=%00', 'limit=101', 'before=x', 'before=1&after=1', 'status=lost', 'text=a&text=b']) {
      assert.equal((await ben.ask('GET', `/api/animals?${query}`)).status, 400, query)
    }
    assert.deepEqual((await page('')).animals, [])
    assert.equal(office.log(), '')
  })

  it('have up to five namesakes, newest first, with who added them if known', async () => {
    const { id } = await store.pets.create({ name: 'Łódź', categoryId: 7n })
    office.clock.nowMs += 60_000
    const lodz = await add('LODZ')
    await add('Lodz 2')
    const of = async (name: string) => (await ben.ask<Namesake[]>('GET', `/api/animals/namesakes?name=${name}`)).json
    assert.deepEqual(
      (await of('%C5%82odz')).map(({ animal, addedAtMs, addedBy }) => [animal.id, addedAtMs, addedBy]),
      [
        [lodz.id, office.clock.nowMs, 'Ada'],
        [String(id), null, null],
      ],
    )
    for (let n = 0; n < 6; n += 1) await add('Bo')
    assert.equal((await of('bo')).length, 5)
  })

  it('are removed, restored and undone by staff', async () => {
    const act = async (what: string, { id, version }: Animal, by = ben) =>
      (await by.ask<ActResult>('POST', '/api/animals/acts', { act: what, animals: [{ id, version }] })).json
    const mayUndo = async (id: string) => (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.mayUndo
    const theirs = await add('Rex')
    const [removed] = (await act('remove', theirs)).animals
    assert.deepEqual([removed?.removedAtMs === null, await mayUndo(theirs.id)], [false, true])
    const { conflicts } = await act('restore', theirs)
    assert.deepEqual(
      conflicts.map(({ version }) => version),
      [removed?.version],
      'of the version before',
    )
    const [back] = (await act('undo', removed ?? theirs)).animals
    assert.equal(back?.removedAtMs, null)
    const edit = async (status: string, { id, version } = back ?? theirs) =>
      (await ben.ask<ActResult>('POST', '/api/animals/acts', { act: 'edit', status, animals: [{ id, version }] })).json
    const [sold] = (await edit('sold')).animals
    const [returned] = (await edit('available', sold)).animals
    assert.equal(returned?.wait?.isAgain, true, 'as the list shows it after loading again')
  })

  it('are changed in parts as selected, and newer changes by others are reported', async () => {
    const rows = Array.from({ length: 1_203 }, (_, n) => ({ name: `Many ${n}`, categoryId: 1n, status: 'available' }))
    await store.imports.add(batchesOf(rows as FileRow[]), PLAIN_IMPORT)
    const [first, second, third] = (await page('text=many&status=available')).animals
    const found = await all('text=many&status=available')
    await ada.ask('PATCH', `/api/animals/${first?.id}`, { ...first, reference: undefined, name: 'Many too' })
    await ada.ask('PATCH', `/api/animals/${second?.id}`, { version: second?.version, status: 'pending' })
    await add('Many more')
    const acting = ben.ask<ActResult>('POST', '/api/animals/acts', { act: 'edit', status: 'sold', animals: found })
    // Nobody has to wait for its end.
    const between = await ada.ask<Saved>('PATCH', `/api/animals/${third?.id}`, { version: '0', name: 'Many between' })
    const { json } = await acting
    assert.deepEqual([json.done, json.changed, json.left, json.isWhole], [1_202, 1_202, 1, true])
    assert.deepEqual(
      json.conflicts.map(({ id, status }) => [id, status]),
      [[second?.id, 'pending']],
    )
    const newest = await store.records.parts(BigInt(json.n ?? 0), 2_000)
    assert(BigInt(between.json.animal.version) < (newest.at(-1)?.version ?? 0n), 'between two parts')
    const after = (await page('text=many')).counts
    assert.deepEqual([after.available, after.pending, after.sold], [1, 1, 1_202])
    const [line] = (await ben.ask<JournalPage>('GET', '/api/journal?who=ben')).json.lines
    assert.deepEqual([line?.act, line?.to, line?.parts], ['edit several', { status: 'sold' }, { edit: 1_202 }])
    const undone = (await ben.ask<ActResult>('POST', `/api/animals/acts/${json.n}/undo`, {})).json
    assert.equal(undone.done + undone.left, 1_202)
    assert.equal((await page('text=many')).counts.sold, undone.left)
  })

  it('refuse an invalid act', async () => {
    const { id, version } = await add('Mia')
    const animals = [{ id, version }]
    const tooMany = Array.from({ length: MAX_TARGETS + 1 }, () => ({ id, version }))
    const crowd = { act: 'remove', animals: tooMany }
    for (const body of [{ act: 'edit', animals }, { act: 'remove' }, { act: 'remove', status: 'sold', animals }, crowd])
      assert.equal((await ada.ask('POST', '/api/animals/acts', body)).status, 400)
    assert.equal((await ada.ask('POST', '/api/animals/acts/99/undo', {})).status, 404)
  })
})
