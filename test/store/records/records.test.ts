/** Edits, removals, searches and the journal on every engine. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/common/clock.ts'
import { fold } from '../../../src/common/fold.ts'
import { INT64_MAX, INT64_MIN } from '../../../src/contract/int64.ts'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import { BRIEF_NAME, FORMS_KEPT, PURGE_MS } from '../../../src/rules/bounds.ts'
import type { Author } from '../../../src/store/author.ts'
import type { Store } from '../../../src/store/store.ts'
import { batchesOf, PLAIN_IMPORT, purgeBefore, WHOLE_JOURNAL } from '../../support/store.ts'
import { onEachEngine } from '../on-each-engine.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const by: Author = { who: 'cli ada', atMs: AT_MS }
const ALL = { limit: 100, status: undefined, before: undefined }

onEachEngine(
  (name) => `the records of ${name}`,
  (engine) => {
    const { test } = engine

    async function add(store: Store, name: string, status?: PetStatus): Promise<bigint> {
      const { id } = await store.pets.create({ name, categoryId: 7n, ...(status && { status }) })
      return id
    }

    test('a change shows in list, fetch and counts, and writes a journal entry', async (store) => {
      const id = await add(store, 'Mia', 'available')
      assert.equal((await store.records.change([id], { status: 'sold', categoryId: INT64_MIN }, by)).changed, 1)
      assert.equal((await store.records.change([id], { status: 'sold' }, by)).changed, 0)
      const json = `{"id":${id},"name":"Mia","categoryId":${INT64_MIN},"status":"sold"}`
      assert.equal(await store.pets.get(id), json)
      assert.equal(String((await store.pets.list({ ...ALL, status: 'sold' })).json), `[${json}]`)
      const [from, to] = ['{"categoryId":7,"status":"available"}', `{"categoryId":${INT64_MIN},"status":"sold"}`]
      assert.deepEqual(await store.records.journal(WHOLE_JOURNAL), [
        {
          n: 1n,
          atMs: AT_MS,
          who: 'cli ada',
          act: 'edit',
          petId: String(id),
          keyId: undefined,
          from,
          to,
          importN: undefined,
          ...{ statusWas: 'available', statusNow: 'sold', categoryWas: 7n, categoryNow: INT64_MIN },
          ...{ undoes: undefined, undoneBy: undefined },
        },
      ])
      await store.records.change([id], { status: null }, by)
      assert.deepEqual(await store.pets.count(), { available: 0, pending: 0, sold: 0, none: 1 })
    })

    test('setting, correcting and removing a reference can be undone', async (store) => {
      const [mia, ole] = [await add(store, 'Mia'), await add(store, 'Ole')]
      const reference = async (id: bigint) => (await store.origins.provenance([id]))[0]?.reference
      const give = (id: bigint, reference: string | null, name = 'Mia') =>
        store.records.change([id], { reference, name }, by)
      const undo = async (id: bigint) => {
        const version = (await store.records.get(id))?.version ?? 0n
        return store.records.undo([{ id, version }], by)
      }
      await give(mia, 'LB-1')
      await give(mia, 'LB-2')
      assert.equal((await give(mia, 'LB-2')).changed, 0)
      for (const taken of ['LB-2', 'lb-2']) {
        const refused = await give(ole, taken, 'Changed')
        assert.deepEqual(
          [refused.changed, refused.textConflict],
          [0, `the reference ${taken} is that of animal ${mia}`],
        )
      }
      assert.equal((await store.records.get(ole))?.name, 'Ole', 'nothing is half done')
      const [entry] = await store.records.journal(WHOLE_JOURNAL)
      assert.deepEqual([entry?.from, entry?.to], ['{"reference":"LB-1"}', '{"reference":"LB-2"}'])
      await give(mia, null)
      assert.equal(await reference(mia), undefined)
      await give(ole, 'LB-2', 'Ole')
      assert.match((await undo(mia)).textConflict ?? '', /^the reference LB-2 is that of animal /)
      await undo(ole)
      await undo(mia)
      assert.deepEqual([await reference(mia), await reference(ole)], ['LB-2', undefined])
      await store.records.remove([mia], by)
      assert.notEqual((await give(ole, 'LB-2', 'Ole')).textConflict, undefined, 'a removed animal keeps its own')
    })

    test('a form sent again adds nothing, of the latest thousand and also after a clock that was ahead', async (store) => {
      const send = async (form: string, atMs = AT_MS) =>
        (await store.records.add({ name: form, categoryId: 7n }, { ...by, atMs }, form)).isNew
      assert(await send('before'))
      for (let n = 1; n <= FORMS_KEPT; n += 1) await send(`form ${n}`, AT_MS + DAY_MS)
      assert(await send('late'))
      assert(!(await send('late')))
      assert(await send('later'))
      assert(!(await send('late')))
      assert(await send('before'), 'no more are kept')
      assert.equal((await store.pets.count()).none, FORMS_KEPT + 4)
    })

    test('changes of different fields of an animal do not conflict', async (store) => {
      const id = await add(store, 'Mia')
      await store.records.change([{ id, version: 0n }], { name: 'Mira' }, by)
      const { conflicts, pets } = await store.records.change([{ id, version: 0n }], { status: 'sold' }, by)
      assert.deepEqual([conflicts, pets[0]?.name, pets[0]?.status], [[], 'Mira', 'sold'])
      const entries = await store.records.journal({ ...WHOLE_JOURNAL, petId: id })
      assert.deepEqual(
        entries.map(({ to }) => to),
        ['{"status":"sold"}', '{"name":"Mira"}'],
      )
      await store.records.remove([id], by)
      await store.records.restore([id], by)
      const late = await store.records.change([{ id, version: 2n }], { categoryId: 1n }, by)
      assert.equal(late.conflicts.length, 1, 'it was removed meanwhile')
    })

    test('an undo reverts the newest entry, and can be undone itself', async (store) => {
      const name = `${'Ł'.repeat(300)}!`
      const id = await add(store, name)
      const version = async () => (await store.records.get(id))?.version ?? 0n
      const undo = async () => store.records.undo([{ id, version: await version() }], by)
      await store.records.change([id], { name: 'Mira', categoryId: INT64_MAX }, by)
      const edited = await version()
      await undo()
      assert.equal((await store.records.get(id))?.name, name)
      const [entry] = await store.records.journal({ ...WHOLE_JOURNAL, petId: id })
      assert.deepEqual([entry?.act, entry?.undoes], ['edit', edited])
      assert.deepEqual((await undo()).pets[0]?.categoryId, INT64_MAX.toString())
      await store.records.remove([id], by)
      assert.equal((await undo()).pets[0]?.removedAtMs, undefined)
      assert.notEqual((await undo()).pets[0]?.removedAtMs, undefined)
      const stale = await store.records.undo([{ id, version: edited }], by)
      assert.deepEqual([stale.changed, stale.conflicts.length], [0, 1])
    })

    test('an act changes every animal that it can, and reports the others', async (store) => {
      const [mia, ben, eve] = [await add(store, 'Mia'), await add(store, 'Ben'), await add(store, 'Eve')]
      await store.records.change([ben, eve], { status: 'pending' }, { who: 'ben', atMs: AT_MS })
      const targets = [mia, ben, eve, INT64_MAX].map((id) => ({ id, version: 0n }))
      for (const act of [
        () => store.records.change(targets, { status: 'sold' }, by),
        () => store.records.remove(targets, by),
      ]) {
        const { changed, pets, missing, conflicts } = await act()
        assert.deepEqual([changed, pets, missing], [0, [], [INT64_MAX]])
        assert.deepEqual(conflicts, [await store.records.get(ben), await store.records.get(eve)])
      }
      assert.equal(
        (await store.records.change([mia, INT64_MAX], { status: 'sold' }, by)).changed,
        0,
        'missing is enough',
      )
      assert.equal((await store.records.get(mia))?.status, undefined)
      const some = await store.records.change(targets, { status: 'sold' }, by, 'all that can be')
      assert.deepEqual([some.changed, some.missing, some.conflicts.length], [1, [INT64_MAX], 2])
      assert.deepEqual(some.pets, [await store.records.get(mia)])
      assert.deepEqual(await store.pets.count(), { available: 0, pending: 2, sold: 1, none: 0 })
    })

    test('a long name is shortened on request, and stored in full', async (store) => {
      const start = 'Ł😀'.repeat((BRIEF_NAME + 2) / 2)
      const beginning = [...start].slice(0, BRIEF_NAME + 1).join('')
      const name = `${start}${'\u0001"x'.repeat(10_000)}`
      const id = await add(store, name)
      await store.records.change([id], { name: `${name}!`, categoryId: INT64_MAX }, by)
      const pets = await store.records.find({ text: '', status: undefined, limit: 9, isBrief: true })
      assert.deepEqual(
        pets.map((pet) => [pet.id, pet.name]),
        [[String(id), beginning]],
      )
      const version = pets[0]?.version ?? 0n
      const changed = await store.records.change([{ id, version }], { status: 'sold' }, by, 'all that can be')
      assert.deepEqual([changed.changed, changed.pets[0]?.name, changed.pets[0]?.status], [1, beginning, 'sold'])
      const stale = await store.records.change([{ id, version }], { status: 'sold' }, by, 'all that can be')
      assert.equal(stale.conflicts[0]?.name, beginning)
      assert.deepEqual(
        [(await store.records.get(id))?.name, (await store.records.get(id))?.status],
        [`${name}!`, 'sold'],
      )
      const values = (await store.records.journal({ ...WHOLE_JOURNAL, isBrief: true })).map(({ to }) =>
        to?.replaceAll(' ', ''),
      )
      assert.deepEqual(values, ['{"status":"sold"}', `{"name":"${beginning}","categoryId":${INT64_MAX}}`])
      assert.match(
        (await store.records.journal(WHOLE_JOURNAL)).at(-1)?.to ?? '',
        /x!","categoryId":9223372036854775807\}$/,
      )
    })

    test('a removed animal disappears from the API, and its id is never assigned again (R4)', async (store) => {
      const id = await add(store, 'Mia', 'available')
      const json = await store.pets.get(id)
      assert.equal((await store.records.remove([id], by)).changed, 1)
      assert.equal(await store.pets.get(id), undefined)
      assert.equal(String((await store.pets.list(ALL)).json), '[]')
      assert.deepEqual(await store.pets.count(), { available: 0, pending: 0, sold: 0, none: 0 })
      assert.equal((await store.records.get(id))?.removedAtMs, AT_MS)
      assert.deepEqual((await store.records.change([id], { status: 'sold' }, by)).missing, [id])
      assert.ok((await add(store, 'Ben')) > id)
      assert.equal((await store.records.restore([id], by)).changed, 1)
      assert.equal(await store.pets.get(id), json)
      assert.deepEqual((await store.records.restore([id], by)).missing, [id])
      const acts = (await store.records.journal({ ...WHOLE_JOURNAL, petId: id })).map(({ act }) => act)
      assert.deepEqual(acts, ['restore', 'remove'])
    })

    test('thousands of removed animals are purged together', async (store) => {
      // More than a function of the language takes arguments.
      const length = engine.name === 'SQLite' ? 150_000 : 4_001
      const rows = Array.from({ length }, (_, n) => ({ name: `Mia ${n}`, categoryId: 7n }))
      const { n = 0n } = await store.imports.add(batchesOf(rows), PLAIN_IMPORT)
      assert.equal((await store.imports.undo(n, by))?.removed, rows.length)
      assert.equal(await purgeBefore(store.records, AT_MS), 0, 'not before its time')
      assert.equal(await purgeBefore(store.records, AT_MS + 1 + PURGE_MS), rows.length)
      assert.deepEqual(await store.records.find({ text: '', status: 'removed', limit: 1 }), [])
    })

    test('a clock that is ahead for two days purges nothing, whenever it is looked at', async (store) => {
      const id = await add(store, 'Mia')
      await store.records.remove([id], by)
      const look = (atMs: number) => store.records.purge({ ...by, atMs })
      const days = (from: number, count: number) =>
        Array.from({ length: 4 * count }, (_, n) => AT_MS + (from + n / 4) * DAY_MS)
      for (const atMs of [...days(0, 1), ...days(400, 2), ...days(3, 27)]) assert.equal(await look(atMs), 0)
      assert.equal((await store.records.get(id))?.removedAtMs, AT_MS)
      let purged = 0
      for (const atMs of days(30, 4)) purged += await look(atMs)
      assert.equal(purged, 1, 'within four days after its time')
    })

    test('an animal is found by parts of its name in any order, ignoring case and accents', async (store) => {
      const soren = await add(store, 'Søren Émile', 'sold')
      const emil = await add(store, 'EMIL 100%_"x"\\')
      const found = async (text: string, status?: PetStatus | 'none', limit = 10) =>
        (await store.records.find({ text, status, limit })).map(({ id }) => BigInt(id))
      for (const both of ['emil', 'ÉMIL', 'e', ' ']) assert.deepEqual(await found(both), [emil, soren], both)
      assert.deepEqual(await found('emil', undefined, 1), [emil])
      assert.deepEqual(await found('emil', 'sold'), [soren])
      assert.deepEqual(await found('emil', 'none'), [emil])
      for (const one of ['%_"x"\\', '% "X" mil e m i 1 0 l 100 \u00e9MIL']) assert.deepEqual(await found(one), [emil])
      for (const none of ['%%%', 'sor emil 100', 'e m i l 1 0 % _ x \\ z'])
        assert.deepEqual(await found(none), [], none)
      await store.records.change([soren], { name: 'Bruno' }, by)
      assert.deepEqual([await found('emil'), await found('bru')], [[emil], [soren]])
      await store.records.remove([soren], by)
      assert.deepEqual(await found('bru'), [])
      await store.records.restore([soren], by)
      assert.deepEqual(await found('bru'), [soren])
    })

    test('names that a client made long are found by number alone, and slow down no search for names', async (store) => {
      const near = await add(store, 'Luna')
      const long = await add(store, `luna${'x'.repeat(1_021)}`)
      const just = await add(store, `luna${'x'.repeat(1_020)}`)
      const found = async (text: string) =>
        (await store.records.find({ text, status: undefined, limit: 10, isBrief: true })).map(({ id }) => BigInt(id))
      assert.deepEqual(await found('luna'), [just, near])
      assert.deepEqual(await found(String(long)), [long])
      const { available, none } = await store.records.tally({ text: 'luna' })
      assert.equal(available + none, 2)
    })

    test('a word is compared by its first 100 characters, so that a long one costs no more', async (store) => {
      const id = await add(store, 'a'.repeat(100))
      for (const [text, ids] of [
        [`${'a'.repeat(100)}b`, [id]],
        [`${'a'.repeat(99)}b`, []],
      ] as const) {
        const found = await store.records.find({ text, status: undefined, limit: 10 })
        assert.deepEqual(
          found.map((pet) => BigInt(pet.id)),
          ids,
        )
      }
    })

    test('the result is the same as reading all names would give', async (store) => {
      const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'é', ' ', 'ß', '%', '"'), maxLength: 6 })
      const names = new Map<bigint, string>()
      await fc.assert(
        fc.asyncProperty(letters, letters, fc.nat(), async (name, text, nth) => {
          names.set(await add(store, name), name)
          const [id] = [...names.keys()].slice(nth % names.size)
          if (id !== undefined && nth % 3 === 0) {
            await store.records.change([id], { name: text }, by)
            names.set(id, text)
          }
          const hasAll = (one: string) => text.split(' ').every((word) => fold(one).includes(fold(word)))
          const wanted = [...names].filter(([, one]) => hasAll(one)).map(([one]) => one)
          const pets = await store.records.find({ text, status: undefined, limit: 1_000 })
          assert.deepEqual(
            pets.map((pet) => BigInt(pet.id)),
            wanted.toReversed(),
          )
        }),
        { numRuns: 60 },
      )
    })
  },
)
