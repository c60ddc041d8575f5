/** What every engine guarantees of pages of animals, of searches in steps, and of animals that people add. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import { systemClock } from '../../src/common/system-clock.ts'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import type { Author } from '../../src/store/author.ts'
import type { JournalQuery } from '../../src/store/records.ts'
import { FORMS_KEPT } from '../../src/store/rules/bounds.ts'
import { comparePlaces, keyOf } from '../../src/store/rules/name-order.ts'
import type { Store } from '../../src/store/store.ts'
import { PLAIN_IMPORT } from '../support/imports.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { passing, unhurried } from '../support/time/clock.ts'
import { storeEngines } from './engines.ts'
import { withNewStore } from './with-new-store.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const by: Author = { who: 'ada', atMs: AT_MS }
const WHOLE: JournalQuery = { petId: undefined, keyId: undefined, sinceMs: undefined, before: undefined, limit: 1_000 }

/** More names than one step compares. */
async function* mias() {
  for (let batch = 0; batch < 60; batch += 1)
    yield Array.from({ length: 1_000 }, () => ({ name: 'Mia', categoryId: 7n }))
}

onEachEngine(
  (name) => `pages of animals of ${name}`,
  (engine) => {
    const withStore = (work: (store: Store) => Promise<void>) => withNewStore(engine, work)
    /** A step of a search looks at no more than some hundred names, on the fastest machine. */
    const withSlowStore = (work: (store: Store) => Promise<void>) =>
      withNewStore(engine, work, { clock: passing(unhurried(systemClock), 0.01) })

    async function add(store: Store, name: string, status?: PetStatus): Promise<bigint> {
      const { id } = await store.pets.create({ name, categoryId: 7n, ...(status && { status }) })
      return id
    }

    it('an animal that is sent twice with one token is added once, also at the same time', () =>
      withStore(async (store) => {
        const pet = { name: '\u{1f431} Mia "x"', categoryId: INT64_MAX, status: 'available' as const }
        const both = await Promise.all([store.records.add(pet, by, 'a'), store.records.add(pet, by, 'a')])
        assert.deepEqual(both.map(({ isNew }) => isNew).sort(), [false, true])
        assert.equal(both[0].pet?.id, both[1].pet?.id)
        const again = await store.records.add({ ...pet, name: 'Other' }, { who: 'ben', atMs: AT_MS + 86_400_000 }, 'a')
        assert.deepEqual([again.isNew, again.pet], [false, both[0].pet])
        const other = await store.records.add(pet, by, 'b')
        assert.ok(other.isNew && other.pet !== undefined)
        assert.deepEqual(await store.pets.count(), { available: 2, pending: 0, sold: 0, none: 0 })
        const id = BigInt(both[0].pet?.id ?? '')
        const [entry] = await store.records.journal({ ...WHOLE, petId: id })
        const values = `{"name":${JSON.stringify(pet.name)},"categoryId":${INT64_MAX},"status":"available"}`
        assert.deepEqual([entry?.act, entry?.to, entry?.n], ['add', values, both[0].pet?.version])
        const created = await add(store, 'Ben')
        assert.deepEqual([...(await store.records.authors('add', [id, created]))], [[id, by]])
      }))

    it('a form that added an animal is known whatever the clock says, and its token makes room for newer ones', () =>
      withStore(async (store) => {
        const addAt = async (once: string, atMs: number) =>
          (await store.records.add({ name: 'Mia', categoryId: 7n }, { who: 'a', atMs }, once)).isNew
        assert.ok(await addAt('a', AT_MS))
        assert.ok(await addAt('ahead', AT_MS + 1_000 * DAY_MS))
        assert.equal(await addAt('a', AT_MS + 1_000 * DAY_MS), false)
        for (let n = 1; n < FORMS_KEPT; n += 1) await addAt(`${n}`, AT_MS + n)
        assert.ok(await addAt('last', AT_MS + FORMS_KEPT))
        assert.equal(await addAt('2', AT_MS), false)
        assert.ok(await addAt('a', AT_MS), 'as many as are kept are newer')
      }))

    it('pages forwards and backwards hold every animal once, while others are added and removed', () =>
      withStore(async (store) => {
        const ids: string[] = []
        for (let n = 0; n < 25; n += 1)
          ids.unshift(String(await add(store, `Mia ${n}`, n % 2 === 0 ? 'sold' : undefined)))
        for (const text of ['', 'm', 'mia']) {
          for (const status of [undefined, 'none', 'sold'] as const) {
            const wanted = ids.filter((_, n) => status === undefined || (n % 2 === 0) === (status === 'sold'))
            const down: string[] = []
            let before: bigint | undefined
            for (;;) {
              const { pets } = await store.records.find({ text, status, limit: 4, before, withinMs: 10_000 })
              await store.records.remove([await add(store, 'Mia too')], by)
              if (pets.length === 0) break
              down.push(...pets.map(({ id }) => id))
              before = BigInt(down.at(-1) ?? '')
            }
            assert.deepEqual(down, wanted, `${text} ${status}`)
            const up: string[] = []
            let after = INT64_MIN
            for (;;) {
              const { pets } = await store.records.find({ text, status, limit: 4, after })
              if (pets.length === 0) break
              up.unshift(...pets.map(({ id }) => id))
              after = BigInt(up[0] ?? '')
            }
            assert.deepEqual(up, wanted, `${text} ${status}`)
          }
        }
      }))

    it('a search whose time is over says where it goes on, and goes on there', () =>
      withSlowStore(async (store) => {
        const first = await add(store, 'Zoe')
        await store.imports.add(mias(), { ...PLAIN_IMPORT, by })
        const found: string[] = []
        let before: bigint | undefined
        let steps = 0
        do {
          const { pets, stoppedAt } = await store.records.find({
            text: 'zo',
            status: undefined,
            limit: 9,
            before,
            withinMs: 0,
          })
          found.push(...pets.map(({ id }) => id))
          before = stoppedAt
          steps += 1
        } while (before !== undefined)
        assert.deepEqual(found, [String(first)])
        assert.ok(steps > 1, 'one step would have been enough')
        const all = await store.records.find({ text: 'mia', status: 'none', limit: 100_000, withinMs: 60_000 })
        assert.equal(new Set(all.pets.map(({ id }) => id)).size, 60_000)
      }))

    it('names, categories and removed animals are listed in one order, whole and in pages, and counted exactly', () =>
      withStore(async (store) => {
        const { records } = store
        const names = [
          '\u{1f431}',
          '\ufb01',
          'zoe black',
          'Black Zo\u00e9',
          'anna',
          'Anna',
          '\uffee',
          '',
          '\u00c4nna 2',
          'x'.repeat(300),
        ]
        const ids: bigint[] = []
        for (const [n, name] of names.entries()) {
          const { id } = await store.pets.create({
            name,
            categoryId: BigInt(n % 2),
            ...(n % 3 === 0 && { status: 'sold' }),
          })
          ids.push(id)
        }
        const choices = [
          {},
          { text: 'BLACK zoe' },
          { text: 'an' },
          { categoryId: 1n },
          { status: 'sold' },
          { status: 'none', categoryId: 0n },
        ] as const
        const gone = ids.slice(0, 4)
        for (const isRemoved of [false, true]) {
          if (isRemoved) await records.remove(gone, by)
          for (const choice of [...choices, ...(isRemoved ? [{ status: 'removed' } as const] : [])]) {
            const asked = { text: '', status: undefined, withinMs: 60_000, limit: 100, isBrief: true, ...choice }
            const byName = { ...asked, order: 'name' } as const
            const newest = (await records.find(asked)).pets
            const named = (await records.findInOrder(byName)) ?? []
            const keyed = named.map(({ pet, key }) => ({ id: BigInt(pet.id), key }))
            assert.deepEqual(keyed.toSorted(comparePlaces), keyed)
            assert.deepEqual(
              keyed.map(({ key }) => key),
              named.map(({ pet }) => keyOf(pet.name)),
            )
            assert.deepEqual(
              named.map(({ pet }) => pet).toSorted((a, b) => Number(BigInt(b.id) - BigInt(a.id))),
              newest,
            )
            for (const [at, place] of keyed.entries()) {
              assert.equal((await records.tally({ ...asked, place })).ahead, at)
              const next = await records.findInOrder({ ...byName, limit: 2, before: place })
              assert.deepEqual(next, named.slice(at + 1, at + 3))
              const previous = await records.findInOrder({ ...byName, limit: 2, after: place })
              assert.deepEqual(previous, named.slice(Math.max(0, at - 2), at))
            }
            assert.deepEqual(await records.findInOrder({ ...byName, limit: 3, after: 'end' }), named.slice(-3))
            assert.deepEqual((await records.find({ ...asked, limit: 3, after: 'end' })).pets, newest.slice(-3))
            for (const [at, { id }] of newest.entries()) {
              const { counts, ahead, isComplete } = await records.tally({ ...asked, place: { id: BigInt(id) } })
              assert.deepEqual([ahead, isComplete], [at, true])
              const { available, pending, sold, none, removed } = counts
              const all = { ...counts, any: available + pending + sold + none + removed }
              assert.equal(all[asked.status ?? 'any'], newest.length)
            }
          }
        }
        assert.deepEqual(
          (await records.find({ text: '', status: 'removed', limit: 9 })).pets.map(({ id }) => BigInt(id)),
          gone.toReversed(),
        )
        assert.deepEqual(
          [...(await records.authors('remove', ids))].map(([id, { who }]) => [id, who]),
          gone.map((id) => [id, by.who]),
        )
      }))

    it('of a search the best matches come first, whole and in pages, and are counted exactly', () =>
      withStore(async (store) => {
        const { records } = store
        const add = async (name: string) => (await store.pets.create({ name, categoryId: 1n })).id
        const words = { one: 'an\u00efa', two: ' Black  SABBATH', odd: "100%_\\'s" }
        const sorted = {
          one: [
            'Ania',
            '\u00e4NIA',
            'Ania 2',
            'Anial',
            'Don-Ani\u00e4',
            'Miss \u201cAnia\u201d',
            'Tatiania',
            'x\u00e9ania',
          ],
          two: ['black sabbath', 'Black Sabbath II', 'Sabbath Black', 'The (black) Sabbaths', 'Sabbath Unblack'],
          odd: ["100%_\\'s", "100%_\\'s and more", "The 100%_\\'s", "a100%_\\'s"],
        }
        const keys = { one: '00112233', two: '01223', odd: '0123' }
        const all = [sorted.one, sorted.two, sorted.odd].flatMap((names) => names.toReversed())
        for (const name of ['Anna', ...all, 'Sabbath', '100']) await add(name)
        await records.remove([await add('Ania is gone')], by)
        for (const kind of ['one', 'two', 'odd'] as const) {
          const asked = { text: words[kind], status: undefined, order: 'match', withinMs: 60_000, limit: 100 } as const
          const found = (await records.findInOrder(asked)) ?? []
          assert.equal(found.map(({ key }) => key).join(''), keys[kind])
          const names = found.map(({ pet }) => pet.name)
          assert.deepEqual(names, sorted[kind])
          assert.equal(names.length, (await records.find(asked)).pets.length)
          for (const [at, { pet, key }] of found.entries()) {
            const place = { id: BigInt(pet.id), key }
            assert.equal((await records.tally({ ...asked, place })).ahead, at)
            const next = await records.findInOrder({ ...asked, limit: 2, before: place })
            assert.deepEqual(next, found.slice(at + 1, at + 3))
            const previous = await records.findInOrder({ ...asked, limit: 2, after: place })
            assert.deepEqual(previous, found.slice(Math.max(0, at - 2), at))
          }
          assert.deepEqual(await records.findInOrder({ ...asked, limit: 2, after: 'end' }), found.slice(-2))
        }
        const gone = { text: 'ania', status: 'removed', order: 'match', withinMs: 60_000, limit: 9 } as const
        assert.deepEqual(
          (await records.findInOrder(gone))?.map(({ key }) => key),
          ['1'],
        )
      }))

    it('a rare category is looked for in steps, newest and oldest first, and found where it is', () =>
      withSlowStore(async (store) => {
        const { id: first } = await store.pets.create({ name: 'Rex', categoryId: 9n })
        await store.imports.add(mias(), PLAIN_IMPORT)
        for (const text of ['', 'e']) {
          const asked = { text, status: undefined, categoryId: 9n, limit: 2, isBrief: true, withinMs: 0 }
          const found: string[] = []
          let steps = 0
          for (let before: bigint | undefined; steps === 0 || before !== undefined; steps += 1) {
            const { pets, stoppedAt } = await store.records.find({ ...asked, before })
            found.push(...pets.map(({ id }) => id))
            before = stoppedAt
          }
          assert.deepEqual(found, [String(first)])
          assert.ok(steps > 1, 'one step does not look at all')
          const { pets } = await store.records.find({ ...asked, after: 'end' })
          assert.deepEqual(
            pets.map(({ id }) => id),
            [String(first)],
          )
        }
      }))

    it('a count and an order of names whose time is over say so', () =>
      withSlowStore(async (store) => {
        await store.imports.add(mias(), { ...PLAIN_IMPORT, by })
        const asked = { text: 'i', status: undefined, withinMs: 0 }
        const some = await store.records.tally({ ...asked, place: undefined })
        assert.ok(!some.isComplete && some.counts.none > 0 && some.counts.none < 60_000, `${some.counts.none} are told`)
        assert.equal(await store.records.findInOrder({ ...asked, order: 'name', limit: 3 }), undefined)
        const { counts, isComplete } = await store.records.tally({ ...asked, withinMs: 60_000, place: undefined })
        assert.deepEqual([counts.none, isComplete], [60_000, true])
      }))

    it('the whole name is told from a part of it, whatever its case and accents', () =>
      withStore(async (store) => {
        const [soren] = [await add(store, 'Søren'), await add(store, 'Søren 2')]
        await add(store, 'So')
        const whole = async (text: string) =>
          (await store.records.find({ text, isWhole: true, status: undefined, limit: 5 })).pets.map(({ id }) =>
            BigInt(id),
          )
        assert.deepEqual(await whole('SOREN'), [soren])
        assert.deepEqual((await whole('so')).length, 1)
        const long = 'x'.repeat(65_000)
        const id = await add(store, `${long}\u00e9`)
        assert.deepEqual(await whole(`${long}E`), [id])
        assert.deepEqual(await whole(long), [])
      }))
  },
  storeEngines,
)
