/** The office's routes for animals: what people see, change and take back, and what is refused. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, it } from 'node:test'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import type {
  Acted,
  Animal,
  AnimalPage,
  AnimalView,
  Category,
  CategoryInUse,
  Conflict,
  JournalPage,
  Namesake,
  OfficeError,
  Saved,
} from '../../src/office/office-data.ts'
import type { FileRow } from '../../src/store/staging.ts'
import type { Store } from '../../src/store/store.ts'
import { BODY_LIMIT, type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import type { SignedInClient } from '../support/office-client.ts'
import { onSqlite } from '../support/on-each-engine.ts'
import { batchesOf, PLAIN_IMPORT } from '../support/store.ts'

const formToken = () => randomBytes(16).toString('hex')
const MIA = { name: 'Mia', categoryId: '7', status: 'available' } as const

onSqlite(
  (name) => `animals in the office, on ${name}`,
  (engine) => {
    let database: string
    let store: Store
    let office: OfficeApp
    let ada: SignedInClient
    let ben: SignedInClient

    beforeEach(async () => {
      database = await engine.createDatabase()
      await begin()
      ;[ada, ben] = await Promise.all([office.enter('Ada'), office.enter('Ben', 'staff')])
    })
    afterEach(() => end())

    async function begin() {
      office = await startOfficeApp(database)
      ;({ store } = office)
    }
    const end = () => office[Symbol.asyncDispose]()
    const add = async (name: string, more: Partial<Animal> = {}) =>
      (await ada.ask<Animal>('POST', '/api/animals', { ...MIA, ...more, name, formToken: formToken() })).json
    const page = async (query: string) => (await ben.ask<AnimalPage>('GET', `/api/animals?${query}`)).json
    const ids = (animals: readonly Animal[]) => animals.map(({ id }) => id)

    it('of a search the best match comes first, page by page, unless the newest are asked for', async () => {
      for (const name of ['Mia', 'Lamia', 'Ole Mia', 'Mia 2']) await add(name)
      const names = async (query: string) => (await page(query)).animals.map(({ name }) => name).join()
      const { older } = await page('text=mia&limit=3')
      assert.equal(await names('text=mia&limit=3'), 'Mia,Mia 2,Ole Mia')
      assert.equal(await names(`text=mia&limit=3&before=${older}`), 'Lamia')
      assert.equal(await names('text=mia&sort=newest'), 'Mia 2,Ole Mia,Lamia,Mia')
    })

    it('an animal that is added shows in the list, in the interface and in its history', async () => {
      const name = '<img src=x onerror=alert(1)> \u{1f431} "\u202e'
      const body = { name, categoryId: String(INT64_MAX), status: null, formToken: formToken() }
      const { status, json } = await ben.ask<Animal>('POST', '/api/animals', body)
      assert.equal(status, 201)
      const { id, version } = json
      assert.deepEqual(json, { id, name, categoryId: String(INT64_MAX), status: null, version, removedAtMs: null })
      assert.deepEqual((await page('')).animals, [json])
      assert.deepEqual((await page('')).counts, { available: 0, pending: 0, sold: 0, none: 1, removed: 0 })
      assert.equal(
        await store.pets.get(BigInt(id)),
        `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${INT64_MAX}}`,
      )
      const view = (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json
      const [line] = view.history
      assert.deepEqual([line?.act, line?.who, line?.to], ['add', 'Ben', { name, categoryId: String(INT64_MAX) }])
    })

    it('a form that is sent twice adds one animal, also at the same time and after a restart', async () => {
      const body = { ...MIA, formToken: formToken() }
      const send = () => ben.ask<Animal>('POST', '/api/animals', body)
      const both = await Promise.all([send(), send(), send()])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 200, 201])
      await end()
      await begin()
      ben = await office.enter('Eve', 'staff')
      const again = await send()
      assert.deepEqual([again.status, again.json], [200, both[0]?.json])
      assert.deepEqual(ids((await page('')).animals), [both[0]?.json.id])
    })

    it('a change from an old version is refused, and what somebody else made of it is shown', async () => {
      const { id, version } = await add('Mia')
      const { animal: sold } = (await ben.ask<Saved>('PATCH', `/api/animals/${id}`, { version, status: 'sold' })).json
      assert.deepEqual([sold.status, sold.name], ['sold', 'Mia'])
      const change = { version, name: 'Mira', status: 'pending' }
      const refused = await ada.ask<Conflict>('PATCH', `/api/animals/${id}`, change)
      assert.deepEqual([refused.status, refused.json.code, refused.json.current], [409, 'conflict', sold])
      const removed = await ada.ask<Conflict>('POST', `/api/animals/${id}/remove`, { version })
      assert.deepEqual([removed.status, removed.json.current], [409, sold])
      assert.equal((await page('')).animals[0]?.name, 'Mia')
    })

    it('removed animals are listed with who removed them, and a number is found as people write it', async () => {
      const { id, version } = await add('Mia')
      await ada.ask('POST', `/api/animals/${id}/remove`, { version })
      assert.deepEqual((await page('')).animals, [])
      const removed = await page('status=removed&category=7&text=mi')
      assert.deepEqual([ids(removed.animals), removed.removedBy, removed.counts.removed], [[id], { [id]: 'Ada' }, 1])
      async function* far() {
        yield [{ name: 'Far', categoryId: 1n, id: 1_000_000n }]
      }
      await store.imports.add(far(), { ...PLAIN_IMPORT, withIds: true })
      for (const text of ['1,000,000', '1%20000%20000', '1000000'])
        assert.deepEqual(ids((await page(`text=${text}`)).animals), ['1000000'])
    })

    it('a reference finds its animal, which is listed with it and since when; and nothing found offers names near by', async () => {
      async function* list() {
        yield [{ name: 'Princess', categoryId: 1n, status: null, reference: 'LB-00001', line: 1, cameOn: 20_000 }]
      }
      const way = { source: 'list.csv', missing: 'keep' as const, adopts: true, maxChangedShare: 1, dryRun: false }
      await store.sync.run(list(), { ...way, by: { who: 'Ada', atMs: office.clock.nowMs } })
      await add('Luna')
      const { animals, known, nearest } = await page('text=lb-00001')
      assert.deepEqual([animals.map(({ name }) => name), nearest], [['Princess'], []])
      assert.deepEqual(known[animals[0]?.id ?? ''], { reference: 'LB-00001', sinceMs: 20_000 * 86_400_000 })
      for (const [typed, meant] of Object.entries({ prinses: 'Princess', lunna: 'Luna', lnua: 'Luna', luma: 'Luna' })) {
        const found = await page(`text=${typed}`)
        assert.deepEqual([found.animals, found.nearest], [[], [meant]], typed)
      }
    })

    it('staff type a reference, trimmed, as an import reads it; that of another animal is refused by its number', async () => {
      const [mia, ole] = [await add('Mia'), await add('Ole')]
      const give = ({ id, version }: Animal, reference: string) =>
        ben.ask<Saved & OfficeError>('PATCH', `/api/animals/${id}`, { version, reference })
      assert.equal((await give(mia, ' A-17 ')).status, 200)
      assert.equal((await ben.ask<AnimalView>('GET', `/api/animals/${mia.id}`)).json.reference, 'A-17')
      const { status, json } = await give(ole, 'a-17')
      const sentence = `Nothing was changed: the reference a-17 is that of animal ${mia.id}.`
      assert.deepEqual([status, json.code, json.message], [409, 'taken', sentence])
      assert.equal((await give(ole, 'x'.repeat(201))).status, 400)
      assert.equal((await give(ole, '  ')).json.isChanged, false)
    })

    it('a long name is whole where the animal is shown, and has its beginning in lists', async () => {
      const long = `${'Ł😀'.repeat(300)} and so on`
      const beginning = `${'Ł😀'.repeat(100)}…`
      const { id, name, version } = await add(long)
      assert.equal(name, long)
      assert.equal((await page('')).animals[0]?.name, beginning)
      const animals = [{ id, version }]
      const { json } = await ben.ask<Acted>('POST', '/api/animals/acts', { act: 'edit', animals, status: 'sold' })
      assert.equal(json.animals[0]?.name, beginning)
      const shown = await ben.ask<AnimalView>('GET', `/api/animals/${id}`)
      assert.equal(shown.json.animal.name, long)
      const edited = { version: shown.json.animal.version, name: `${long}!` }
      assert.equal((await ben.ask<Saved>('PATCH', `/api/animals/${id}`, edited)).json.animal.name, `${long}!`)
      const [line] = (await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.history
      assert.deepEqual([line?.from.name, line?.to.name], [beginning, beginning])
    })

    it('pages forwards and backwards meet every animal once', async () => {
      const wanted: string[] = []
      for (let n = 0; n < 23; n += 1)
        wanted.unshift((await add(`Mia ${n}`, { status: n % 3 === 0 ? null : 'sold' })).id)
      for (const [query, some] of [
        ['', wanted],
        ['text=mia', wanted],
        ['text=mi&status=none', wanted.filter((_, n) => (22 - n) % 3 === 0)],
      ] as const) {
        const down: string[] = []
        let last: AnimalPage = await page(`${query}&limit=5`)
        assert.equal(last.newer, null)
        for (;;) {
          down.push(...ids(last.animals))
          if (last.older === null) break
          last = await page(`${query}&limit=5&before=${last.older}`)
        }
        assert.deepEqual(down, some, query)
        const up = ids(last.animals)
        while (last.newer !== null) {
          last = await page(`${query}&limit=5&after=${last.newer}`)
          up.unshift(...ids(last.animals))
        }
        assert.deepEqual(
          up.filter((id) => some.includes(id)),
          some,
          query,
        )
        assert.equal(new Set(up).size, up.length, query)
      }
    })

    it('those that wait longest come first, page by page both ways, each page with its place', async () => {
      for (let n = 0; n < 12; n += 1) await add(`Mia ${n}`, { status: n % 3 === 0 ? null : 'available' })
      for (const query of ['', 'status=available', 'text=mi&status=none', 'category=1&text=mia']) {
        const wanted = ids((await page(`${query}&sort=newest`)).animals).toReversed()
        const forwards: string[] = []
        let last = await page(`${query}&sort=oldest&limit=5`)
        assert.equal(last.newer, null)
        for (;;) {
          assert.equal(last.first, forwards.length + 1)
          forwards.push(...ids(last.animals))
          if (last.older === null) break
          last = await page(`${query}&sort=oldest&limit=5&before=${last.older}`)
        }
        assert.deepEqual(forwards, wanted, query)
        last = await page(`${query}&sort=oldest&limit=5&after=end`)
        assert.equal(last.older, null)
        const backwards = ids(last.animals)
        while (last.newer !== null) {
          assert.equal(last.first, wanted.length - backwards.length + 1)
          last = await page(`${query}&sort=oldest&limit=5&after=${last.newer}`)
          backwards.unshift(...ids(last.animals))
        }
        assert.deepEqual(backwards, wanted, query)
      }
    })

    it('a number finds the animal of that number first, once, and those whose name contains it', async () => {
      const first = await add('Rex')
      const [a, b] = [await add(`Mia ${first.id}`), await add(`${first.id} Tom`)]
      assert.deepEqual(ids((await page(`text=${first.id}`)).animals), [first.id, b.id, a.id])
      const own = await add(`Kit ${BigInt(b.id) + 1n}`)
      assert.deepEqual(ids((await page(`text=${own.id}`)).animals), [own.id])
      assert.deepEqual(ids((await page(`text=${first.id}&status=sold`)).animals), [])
      const { counts } = await page(`text=${first.id}&status=sold`)
      assert.deepEqual([counts.available, (await page(`text=${own.id}`)).counts.available], [3, 1])
      const short = await page(`text=${first.id}&limit=2`)
      assert.deepEqual(ids(short.animals), [first.id, b.id])
      assert.deepEqual(ids((await page(`text=${first.id}&limit=2&before=${short.older}`)).animals), [a.id])
      const back = await page(`text=${first.id}&limit=2&after=0`)
      assert.deepEqual([ids(back.animals), back.newer], [[first.id, b.id], null])
    })

    it('ids at the ends of int64 are exact in every answer', async () => {
      const row = { name: 'Max', categoryId: String(INT64_MIN), status: undefined }
      await (await store.archive()).putPets([{ ...row, id: String(INT64_MAX - 1n) }])
      const [max] = (await page(`text=${INT64_MAX - 1n}`)).animals
      assert.deepEqual([max?.id, max?.categoryId], [String(INT64_MAX - 1n), String(INT64_MIN)])
      const body = { version: '0', status: 'sold' }
      const changed = await ben.ask<Saved>('PATCH', `/api/animals/${INT64_MAX - 1n}`, body)
      assert.deepEqual([changed.status, changed.json.animal.status], [200, 'sold'])
      assert.equal((await ben.ask('GET', `/api/animals/${INT64_MAX + 1n}`)).status, 404)
      assert.equal((await ben.ask('GET', '/api/animals/01')).status, 404)
    })

    it('a name may be as long as a body of the interface, and no longer', async () => {
      const name = 'é'.repeat(BODY_LIMIT / 2)
      const { id } = await add(name)
      assert.equal((await ben.ask<AnimalView>('GET', `/api/animals/${id}`)).json.animal.name, name)
      assert.deepEqual(ids((await page(`text=${id}`)).animals), [id])
      const { status, json } = await ben.ask<OfficeError>('POST', '/api/animals', {
        ...MIA,
        name: `${name}x`,
        formToken: formToken(),
      })
      assert.deepEqual([status, json.code], [400, 'invalid'])
      assert.match(json.message, /has 65537 bytes, and 65536 are allowed/)
    })

    it('what cannot be an animal is refused in words, and nothing is stored', async () => {
      const bad: readonly (readonly [unknown, RegExp])[] = [
        [{ ...MIA, name: 'a\0b' }, /character that cannot be stored/],
        [{ ...MIA, name: '\ud800' }, /character that cannot be stored/],
        [{ ...MIA, categoryId: '9223372036854775808' }, /must be a whole number from -9223372036854775808/],
        [{ ...MIA, categoryId: '07' }, /must be a whole number/],
        [{ ...MIA, categoryId: 7 }, /categoryId must be string/],
        [{ ...MIA, name: 7 }, /name must be string/],
        [{ ...MIA, status: 'Sold' }, /status must be equal to one of/],
        [{ ...MIA, status: undefined }, /status/],
        [{ ...MIA, formToken: 'x' }, /formToken/],
        [[], /must be object/],
        [undefined, /must be object/],
      ]
      for (const [body, message] of bad) {
        const sent = body === undefined || Array.isArray(body) ? body : { formToken: formToken(), ...(body as object) }
        const { status, json } = await ben.ask<OfficeError>('POST', '/api/animals', sent)
        assert.deepEqual([status, json.code], [400, 'invalid'], JSON.stringify(body))
        assert.match(json.message, message)
      }
      for (const query of [
        'text=%00',
        'limit=101',
        'limit=0',
        'before=x',
        'before=1&after=1',
        'status=lost',
        'text=a&text=b',
      ]) {
        assert.equal((await ben.ask('GET', `/api/animals?${query}`)).status, 400, query)
      }
      const many = Array.from({ length: 1_001 }, () => ({ id: '1', version: '1' }))
      assert.equal(
        (await ben.ask('POST', '/api/animals/acts', { act: 'edit', animals: many, status: 'sold' })).status,
        400,
      )
      assert.deepEqual((await page('')).animals, [])
      assert.equal(office.log(), '')
    })

    it('namesakes are animals of the same name, newest first, with who added them where that is known', async () => {
      const { id } = await store.pets.create({ name: 'Łódź', categoryId: 7n })
      office.clock.nowMs += 60_000
      const lodz = await add('LODZ')
      await add('Lodz 2')
      const { json } = await ben.ask<Namesake[]>('GET', `/api/animals/namesakes?name=${encodeURIComponent('łodz')}`)
      assert.deepEqual(
        json.map(({ animal, addedAtMs, addedBy }) => [animal.id, addedAtMs, addedBy]),
        [
          [lodz.id, office.clock.nowMs, 'Ada'],
          [String(id), null, null],
        ],
      )
      for (let n = 0; n < 6; n += 1) await add('Bo')
      assert.equal((await ben.ask<Namesake[]>('GET', '/api/animals/namesakes?name=bo')).json.length, 5)
    })

    it('categories are named by managers, and the names are what the command line shows', async () => {
      const set = (id: string, label: string | null) =>
        ada.ask<Category[]>('PUT', '/api/categories', { names: [{ id: String(id), label }] })
      assert.deepEqual((await set(String(INT64_MIN), '<b>Others</b>')).json, [
        { id: String(INT64_MIN), label: '<b>Others</b>' },
      ])
      assert.equal((await ben.ask('PUT', '/api/categories', { names: [{ id: '7', label: 'Cats' }] })).status, 403)
      for (const label of ['', 'a\nb', 'x'.repeat(201)]) assert.equal((await set('7', label)).status, 400, label)
      assert.equal((await set('x', 'Cats')).status, 400)
      assert.deepEqual([...(await store.categories.names())], [[INT64_MIN, '<b>Others</b>']])
      const shared = await ada.ask<OfficeError>('PUT', '/api/categories', {
        names: [{ id: '7', label: '<B>others</b>' }],
      })
      assert.equal(shared.status, 409)
      assert.equal(
        shared.json.message,
        `Category 7 cannot have this name, because category ${INT64_MIN} is <b>Others</b>; choose another name.`,
      )
      const used = await ben.ask<CategoryInUse[]>('GET', '/api/categories/used')
      assert.deepEqual(used.json[0], { id: String(INT64_MIN), label: '<b>Others</b>', animals: 0, removed: 0 })
      assert.deepEqual((await set(String(INT64_MIN), null)).json, [])
    })

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

    it('an act on all that is found does what was found then, in parts, and tells what was changed meanwhile', async () => {
      const rows = Array.from({ length: 1_203 }, (_, n) => ({ name: `Many ${n}`, categoryId: 1n, status: 'available' }))
      await store.imports.add(batchesOf(rows as FileRow[]), PLAIN_IMPORT)
      const { mark, counts, animals } = await page('text=many&status=available')
      const [first, second, third] = animals
      await ada.ask('PATCH', `/api/animals/${first?.id}`, { ...first, reference: undefined, name: 'Many too' })
      await ada.ask('PATCH', `/api/animals/${second?.id}`, { version: second?.version, status: 'pending' })
      await add('Many more')
      const found = { text: 'many', status: 'available', count: counts.available, mark }
      const less = { ...found, count: counts.available - 3 }
      assert.equal(
        (await ben.ask('POST', '/api/animals/acts', { act: 'edit', status: 'sold', found: less })).status,
        409,
      )
      const acting = ben.ask<Acted>('POST', '/api/animals/acts', { act: 'edit', status: 'sold', found })
      // Somebody else need not wait for its end.
      const between = await ada.ask<Saved>('PATCH', `/api/animals/${third?.id}`, { version: '0', name: 'Many between' })
      const { json } = await acting
      assert.deepEqual([json.done, json.changed, json.left, json.isWhole], [1_201, 1_201, 2, true])
      assert.deepEqual(
        json.conflicts.map(({ id, status }) => [id, status]),
        [[first?.id, 'available']],
      )
      const newest = await store.records.parts(BigInt(json.n ?? 0), 0n, 2_000)
      assert(BigInt(between.json.animal.version) < (newest.at(-1)?.version ?? 0n), 'between two parts')
      const after = (await page('text=many')).counts
      assert.deepEqual([after.available, after.pending, after.sold], [2, 1, 1_201])
      const [line] = (await ben.ask<JournalPage>('GET', '/api/journal?who=ben')).json.lines
      assert.deepEqual([line?.act, line?.to, line?.several?.animals], ['edit several', { status: 'sold' }, 1_201])
      const undone = (await ben.ask<Acted>('POST', `/api/animals/acts/${json.n}/undo`, {})).json
      assert.equal(undone.done + undone.left, 1_201)
      assert.equal((await page('text=many')).counts.sold, undone.left)
    })

    it('several are removed, restored and get a category, each as one act; what is not theirs staff cannot remove', async () => {
      const [mia, rex] = [await add('Mia'), await add('Rex')]
      const act = async (client: SignedInClient, body: object) =>
        (await client.ask<Acted>('POST', '/api/animals/acts', body)).json
      const animals = [mia, rex].map(({ id, version }) => ({ id, version }))
      assert.deepEqual((await act(ben, { act: 'remove', animals })).done, 0)
      const moved = await act(ben, { act: 'edit', categoryId: '9', animals })
      const removed = await act(ada, {
        act: 'remove',
        animals: moved.animals.map(({ id, version }) => ({ id, version })),
      })
      assert.deepEqual([removed.done, (await page('category=9')).animals.length], [2, 0])
      const { mark, counts } = await page('status=removed')
      const back = await act(ada, { act: 'restore', found: { status: 'removed', count: counts.removed, mark } })
      assert.deepEqual([back.done, (await page('category=9')).animals.length], [2, 2])
      await ada.ask<Acted>('POST', `/api/animals/acts/${back.n}/undo`, {})
      assert.equal((await page('status=removed')).counts.removed, 2)
      for (const body of [{ act: 'edit', animals }, { act: 'remove' }, { act: 'remove', status: 'sold', animals }])
        assert.equal((await ada.ask('POST', '/api/animals/acts', body)).status, 400)
      assert.equal((await ada.ask('POST', '/api/animals/acts/99/undo', {})).status, 404)
    })

    it('the status of several is undone at once, each to its own, and what somebody has changed since stays', async () => {
      const [mia, rex, tom] = [await add('Mia'), await add('Rex', { status: 'pending' }), await add('Tom')]
      const body = { animals: [mia, rex, tom].map(({ id, version }) => ({ id, version })), act: 'edit', status: 'sold' }
      const { n, animals } = (await ben.ask<Acted>('POST', '/api/animals/acts', body)).json
      const last = animals.find(({ id }) => id === tom.id)
      await ada.ask('PATCH', `/api/animals/${tom.id}`, { version: last?.version, name: 'Tommy' })
      const { json } = await ben.ask<Acted>('POST', `/api/animals/acts/${n}/undo`, {})
      assert.deepEqual(
        json.animals.map(({ id, status }) => [id, status]),
        [mia, rex].map(({ id, status }) => [id, status]),
      )
      assert.deepEqual(
        json.conflicts.map(({ id, status, name }) => [id, status, name]),
        [[tom.id, 'sold', 'Tommy']],
      )
    })
  },
)
