/** What every engine guarantees of the people of the office, their invitations and their sessions. */
import assert from 'node:assert/strict'
import type { NewPet } from '../../src/contract/schemas.ts'
import { SESSION_MS, SESSIONS_OF_ONE } from '../../src/rules/bounds.ts'
import type { Role } from '../../src/rules/roles.ts'
import { ALL_ANIMALS } from '../../src/rules/search.ts'
import type { Author, LateAuthor } from '../../src/store/author.ts'
import { type NewInvitation, SessionEnded } from '../../src/store/people.ts'
import type { Store } from '../../src/store/store.ts'
import { authorAt, batchesOf, keyOf, PLAIN_IMPORT, WHOLE_JOURNAL } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'
import { onEachEngine } from './on-each-engine.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const DAY_MS = 86_400_000

function invitation(name: string, role: Role, hash: string): NewInvitation {
  return { name, folded: name.toLowerCase(), role, hash, endsAtMs: AT_MS + DAY_MS }
}

const by = authorAt(AT_MS + 2)
const link = (hash: string) => ({ hash, endsAtMs: AT_MS + DAY_MS })
const session = (hash: string) => ({ hash, atMs: AT_MS + 3 })
const CAT: NewPet = { name: 'Cat', categoryId: 2n }
const KEY = keyOf({ id: 'key_1' })

async function openOf({ people }: Store, ...hashes: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(hashes.map((hash) => people.session(hash)))
  return hashes.filter((_, n) => found[n] !== undefined)
}

async function actsOf(store: Store): Promise<(readonly [string, string, string | undefined, string | undefined])[]> {
  return (await store.records.journal(WHOLE_JOURNAL))
    .map(({ who, act, from, to }) => [who, act, from, to] as const)
    .reverse()
}

onEachEngine(
  (name) => `the people of ${name}`,
  (engine) => {
    const test = engine.testOn({ serving: true })

    /** Invites and accepts; the session is called `NAME's`. */
    async function enter(store: Store, name: string, role: Role = 'staff') {
      await store.people.invite(invitation(name, role, `for ${name}`), authorAt(AT_MS))
      const session = { hash: `${name}'s`, atMs: AT_MS + 1 }
      const person = await store.people.accept(`for ${name}`, `hash of ${name}`, session)
      assert(person !== undefined)
      return person
    }

    test('an invitation is found by its hash until it ends, and lets one person in once', async ({ people }) => {
      assert.equal(await people.invite(invitation('Ada', 'manager', 'h'), authorAt(AT_MS)), undefined)
      const ada = { n: 1n, name: 'Ada', folded: 'ada', role: 'manager', createdAtMs: AT_MS }
      const none = { passphrase: undefined, lastSeenAtMs: undefined, revokedAtMs: undefined }
      const person = { ...ada, ...none, invitationEndsAtMs: AT_MS + DAY_MS }
      assert.deepEqual(await people.list(), [person])
      assert.deepEqual(await people.find('ada'), person)
      assert.deepEqual(await people.invitedPerson('h', AT_MS + DAY_MS - 1), person)
      assert.equal(await people.invitedPerson('h', AT_MS + DAY_MS), undefined)
      assert.equal(await people.invitedPerson('other', AT_MS), undefined)
      assert.equal(await people.accept('h', 'p', { hash: 's', atMs: AT_MS + DAY_MS }), undefined, 'too late')
      const accepted = { ...person, passphrase: 'p', invitationEndsAtMs: undefined }
      const session = { hash: 's', atMs: AT_MS + 5 }
      assert.deepEqual({ ...(await people.accept('h', 'p', session)), lastSeenAtMs: undefined }, accepted)
      assert.equal(await people.accept('h', 'q', { hash: 't', atMs: AT_MS + 6 }), undefined, 'used')
      assert.deepEqual(await people.session('s'), {
        person: { ...accepted, lastSeenAtMs: AT_MS + 5 },
        createdAtMs: AT_MS + 5,
        seenAtMs: AT_MS + 5,
      })
      assert.equal(await people.session('t'), undefined)
    })

    test('only one of many simultaneous acceptances of an invitation succeeds', async (store) => {
      await store.people.invite(invitation('Ada', 'staff', 'h'), by)
      const hashes = Array.from({ length: 8 }, (_, n) => `s${n}`)
      const accepted = await Promise.all(hashes.map((hash) => store.people.accept('h', `of ${hash}`, session(hash))))
      const winners = hashes.filter((_, n) => accepted[n] !== undefined)
      assert.deepEqual(await openOf(store, ...hashes), winners)
      assert.deepEqual(
        [(await store.people.find('ada'))?.passphrase],
        winners.map((hash) => `of ${hash}`),
      )
    })

    test('a new link replaces the last, and the passphrase stays until it is used', async (store) => {
      const { people } = store
      const ada = await enter(store, 'Ada')
      for (const hash of ['second', 'third']) assert.ok(await people.reset(ada, link(hash), by))
      assert.equal(await people.invitedPerson('second', AT_MS + 4), undefined)
      assert.equal((await people.find('ada'))?.passphrase, 'hash of Ada')
      assert.deepEqual(await openOf(store, "Ada's"), ["Ada's"])
      await people.accept('third', 'new', session('new'))
      assert.deepEqual(await openOf(store, "Ada's", 'new'), ['new'], 'a new passphrase ends earlier sessions')
      assert.equal((await people.list()).length, 1)
    })

    test('another role applies immediately and ends the sessions', async (store) => {
      const { people } = store
      const { n } = await enter(store, 'Ada', 'operator')
      assert.ok(await people.setRole('ada', 'operator', by))
      assert.deepEqual(await openOf(store, "Ada's"), ["Ada's"])
      assert.ok(await people.setRole('ada', 'staff', by))
      assert.deepEqual(await openOf(store, "Ada's"), [])
      assert.ok(await people.beginSession(n, 'hash of Ada', session('s')))
      assert.equal((await people.session('s'))?.person.role, 'staff')
      assert.ok(!(await people.setRole('nobody', 'staff', by)))
    })

    test('signing out everywhere ends all sessions, and keeps passphrase, role and an open link', async (store) => {
      const { people } = store
      const ada = await enter(store, 'Ada', 'manager')
      await enter(store, 'Eve')
      await people.beginSession(ada.n, 'hash of Ada', session('second'))
      await people.reset(ada, link('open'), by)
      const before = await people.find('ada')
      assert.ok(await people.signOut('ada', by))
      assert.deepEqual(await openOf(store, "Ada's", 'second', "Eve's"), ["Eve's"])
      assert.deepEqual(await people.find('ada'), before)
      assert.equal((await people.invitedPerson('open', AT_MS + 3))?.name, 'Ada')
      assert.ok(!(await people.signOut('nobody', by)))
    })

    test('an invitation of a name that is there changes nothing, in whatever state the person is', async (store) => {
      const { people } = store
      for (const name of ['Ada', 'Cy']) await enter(store, name)
      await people.invite(invitation('Bo', 'staff', 'open'), by)
      await people.revoke('cy', by)
      const before = await people.list()
      for (const name of ['ADA', 'Ada', 'Bo', 'Cy'])
        assert.equal((await people.invite(invitation(name, 'operator', 'h'), by))?.folded, name.toLowerCase())
      assert.deepEqual(await people.list(), before)
      assert.deepEqual(
        [await people.invitedPerson('h', AT_MS), (await people.invitedPerson('open', AT_MS))?.name],
        [undefined, 'Bo'],
      )
      assert.deepEqual(await openOf(store, "Ada's"), ["Ada's"])
    })

    test('a revocation ends sessions, invitation and passphrase until a new link is used', async (store) => {
      const { people } = store
      const { n } = await enter(store, 'Ada')
      await enter(store, 'Eve')
      const seen = { folded: 'ada', revokedAtMs: undefined }
      await people.reset(seen, link('open'), by)
      for (const ms of [3, 9]) assert.ok(await people.revoke('ada', authorAt(AT_MS + ms)))
      assert.equal(await people.accept('open', 'p', session('s')), undefined)
      assert.ok(!(await people.beginSession(n, 'hash of Ada', session('s'))))
      assert.deepEqual(await openOf(store, "Ada's", 's', "Eve's"), ["Eve's"])
      assert.partialDeepStrictEqual(await people.find('ada'), { passphrase: undefined, revokedAtMs: AT_MS + 3 })
      assert.ok(!(await people.revoke('nobody', by)))
      assert.equal(await people.reset(seen, link('back'), by), false, 'revoked since it was read')
      assert.ok(await people.reset({ ...seen, revokedAtMs: AT_MS + 3 }, link('back'), by))
      assert.equal((await people.accept('back', 'p', session('s')))?.revokedAtMs, undefined)
    })

    test('a session begins only on the passphrase that is stored, and ends alone', async (store) => {
      const { people } = store
      const { n } = await enter(store, 'Ada')
      assert.ok(!(await people.beginSession(n, 'another', session('x'))))
      assert.ok(!(await people.beginSession(n + 1n, 'hash of Ada', session('x'))))
      assert.ok(await people.beginSession(n, 'hash of Ada', session('x')))
      assert.equal((await people.endSession('x', AT_MS + 3))?.name, 'Ada')
      assert.equal(await people.endSession('x', AT_MS + 3), undefined)
      assert.deepEqual(await openOf(store, 'x', "Ada's"), ["Ada's"])
    })

    test('being seen never goes back in time, and is known of the person too', async (store) => {
      const { people } = store
      await enter(store, 'Ada')
      await people.noteSeen("Ada's", AT_MS + 90_000)
      await people.noteSeen("Ada's", AT_MS + 60_000)
      await people.noteSeen('no session', AT_MS + 99_000)
      assert.equal((await people.session("Ada's"))?.seenAtMs, AT_MS + 90_000)
      assert.notEqual((await people.find('ada'))?.lastSeenAtMs, AT_MS + 99_000)
    })

    test('a person has a bounded number of sessions, and those of a clock that was ahead end first', async (store) => {
      const { n } = await enter(store, 'Ada')
      await enter(store, 'Eve')
      const begin = async (name: string, atMs: number, count: number) => {
        const hashes = Array.from({ length: count }, (_, i) => `${name} ${i}`)
        for (const [i, hash] of hashes.entries())
          await store.people.beginSession(n, 'hash of Ada', { hash, atMs: atMs + i })
        return hashes
      }
      const ahead = await begin('ahead', AT_MS + SESSION_MS, SESSIONS_OF_ONE)
      assert.deepEqual(await openOf(store, "Ada's", ...ahead), ahead)
      const own = await begin('right', AT_MS + 10, SESSIONS_OF_ONE)
      assert.deepEqual(await openOf(store, "Ada's", ...ahead, ...own, "Eve's"), [...own, "Eve's"])
    })

    test('every act leaves its entry in the journal', async (store) => {
      const { people, records } = store
      const { n } = await enter(store, 'Ada')
      const begin = () => people.beginSession(n, 'hash of Ada', session('s'))
      await begin()
      for (let twice = 0; twice < 2; twice += 1) await people.endSession('s', AT_MS + 3)
      await people.invite(invitation('Ada', 'operator', 'h'), by)
      await people.setRole('ada', 'operator', by)
      await people.signOut('ada', by)
      await begin()
      await people.signOut('ada', by)
      await people.reset({ folded: 'ada', revokedAtMs: undefined }, link('h'), by)
      await records.noteExport('csv', ALL_ANIMALS, by)
      for (let twice = 0; twice < 2; twice += 1) await people.revoke('ada', by)
      const [staff, operator] = ['{"person":"Ada","role":"staff"}', '{"person":"Ada","role":"operator"}']
      assert.deepEqual(await actsOf(store), [
        ['a test', 'invite', undefined, staff],
        ['Ada', 'accept invitation', undefined, undefined],
        ['Ada', 'sign in', undefined, undefined],
        ['Ada', 'sign out', undefined, undefined],
        ['a test', 'change role', staff, operator],
        ['Ada', 'sign in', undefined, undefined],
        ['a test', 'sign out everywhere', undefined, operator],
        ['a test', 'reset passphrase', undefined, operator],
        ['a test', 'export', undefined, '{"format":"csv"}'],
        ['a test', 'revoke person', operator, undefined],
      ])
    })

    test('setting a passphrase or signing out elsewhere keeps only the current session', async (store) => {
      const { people } = store
      const { n } = await enter(store, 'Ada')
      const begin = async (passphrase: string) => people.beginSession(n, passphrase, session('other'))
      const open = () => openOf(store, "Ada's", 'other')
      const own = { who: 'Ada', session: "Ada's", atMs: AT_MS + 3 }
      assert.ok(await begin('hash of Ada'))
      assert.equal((await people.setPassphrase('ada', 'new', own))?.passphrase, 'new')
      assert.deepEqual(await open(), ["Ada's"])
      assert.deepEqual([await begin('hash of Ada'), await begin('new')], [false, true])
      await people.signOut('ada', own)
      assert.deepEqual(await open(), ["Ada's"])
      assert.equal(await people.setPassphrase('eve', 'new', own), undefined)
    })

    test('a former name is given to nobody else', async (store) => {
      const { people } = store
      const [ada, eve] = [await enter(store, 'Ada'), await enter(store, 'Eve')]
      const name = (n: bigint, to: string) => people.rename(n, invitation(to, 'staff', ''), { who: 'x', atMs: AT_MS })
      for (const to of ['Bea', 'Bea', 'Cia']) assert.equal(await name(ada.n, to), undefined)
      assert.deepEqual([(await people.session("Ada's"))?.person.name, await people.find('ada')], ['Cia', undefined])
      for (const taken of ['Ada', 'ADA', 'bea', 'Cia']) {
        assert.partialDeepStrictEqual(await name(eve.n, taken), { n: ada.n }, taken)
        assert.equal((await people.invite(invitation(taken, 'staff', 'h'), authorAt(AT_MS)))?.n, ada.n, taken)
      }
      assert.equal(await name(ada.n, 'Ada'), undefined, 'one may go back')
      const both = await Promise.all([ada, eve].map(({ n }) => name(n, 'Zoe')))
      assert.equal(both.filter((owner) => owner === undefined).length, 1)
      const renamed = (await actsOf(store)).filter(([, act]) => act === 'rename person')
      const [from, to] = ['{"person":"Ada","role":"staff"}', '{"person":"Bea","role":"staff"}']
      assert.deepEqual(renamed[0], ['x', 'rename person', from, to])
      assert.equal(renamed.length, 4, 'the same name is no act')
    })

    test('a former name is free once its person is revoked, or when an operator frees it', async (store) => {
      const { people } = store
      const [ada, eve] = [await enter(store, 'Ada'), await enter(store, 'Eve')]
      for (const to of ['Bea', 'Cia']) await people.rename(ada.n, invitation(to, 'staff', ''), by)
      assert.deepEqual([await people.freeName('bea', by), await people.freeName('bea', by)], [true, false])
      assert.equal((await actsOf(store)).at(-1)?.[1], 'free name')
      assert.equal(await people.rename(eve.n, invitation('Bea', 'staff', ''), by), undefined)
      await people.revoke('cia', by)
      assert.equal(await people.rename(eve.n, invitation('Ada', 'staff', ''), by), undefined)
      assert.partialDeepStrictEqual(await people.invite(invitation('Cia', 'staff', 'h'), by), { n: ada.n })
    })

    test('a person who changes their name has at most three former names', async (store) => {
      const { people } = store
      const ada = await enter(store, 'Ada')
      const own = { ...by, session: "Ada's" }
      const name = (to: string, author: typeof by) => people.rename(ada.n, invitation(to, 'staff', ''), author)
      for (const to of ['Bea', 'Cia', 'Dea']) assert.equal(await name(to, own), undefined)
      assert.equal(await name('Eva', own), 'too many')
      assert.equal(await name('Eva', by), undefined, 'an operator can')
    })

    test('only one of many simultaneous invitations of a new person succeeds', async ({ people }) => {
      const hashes = ['a', 'b', 'c']
      const done = await Promise.all(hashes.map((hash) => people.invite(invitation('Ada', 'staff', hash), by)))
      const found = await Promise.all(hashes.map((hash) => people.invitedPerson(hash, AT_MS)))
      assert.deepEqual(
        found.map((person) => person?.name),
        done.map((owner) => (owner ? undefined : 'Ada')),
      )
      assert.equal((await people.list()).length, 1)
    })

    test('an act in an ended or expired session is refused', async (store) => {
      const { people, records, keys, imports } = store
      const [ada] = [await enter(store, 'Ada', 'operator'), await enter(store, 'Bo')]
      const pet = await records.add({ name: 'Rex', categoryId: 1n }, authorAt(AT_MS), 'a')
      const id = BigInt(pet.pet?.id ?? 0)
      const [gone] = (await records.remove([BigInt((await store.pets.create(CAT)).id)], authorAt(AT_MS))).pets
      await keys.add(KEY, 'hash of a key', authorAt(AT_MS))
      const imported = await imports.add(batchesOf([CAT, CAT]), importing(authorAt(AT_MS)))
      const acts = (by: Author): (() => unknown)[] => [
        () => people.invite(invitation('Late', 'staff', 'h'), by),
        () => people.reset({ folded: 'bo', revokedAtMs: undefined }, link('h'), by),
        () => people.setRole('bo', 'operator', by),
        () => people.rename(ada.n, invitation('Late', 'staff', ''), by),
        () => people.signOut('bo', by),
        () => people.revoke('bo', by),
        () => records.add({ name: 'Late', categoryId: 1n }, by, 'b'),
        () => records.change([id], { name: 'Late' }, by),
        () => records.remove([id], by),
        () => records.restore([BigInt(gone?.id ?? 0)], by),
        () => store.categories.name(new Map([[1n, 'Late']]), by),
        () => records.noteExport('csv', ALL_ANIMALS, by),
        () => keys.add({ ...KEY, id: 'late', lineage: 'late' }, 'late', by),
        () => keys.revoke(KEY.id, by),
        () => keys.replace(KEY.id, AT_MS, { key: { ...KEY, id: 'late' }, hash: 'late' }, by),
        () => imports.add(batchesOf([CAT]), importing(by)),
        () => imports.undo(imported.n ?? 0n, by),
      ]
      const before = await everything(store)
      const session = "Ada's"
      for (const act of acts({ who: 'Ada', session, atMs: AT_MS + 1 + SESSION_MS })) {
        await assert.rejects(async () => act(), SessionEnded, 'passed its time')
      }
      await people.revoke('ada', authorAt(AT_MS + 2))
      const [revoked, ...rest] = (await everything(store)).journal
      assert.equal(revoked?.act, 'revoke person')
      assert.deepEqual(rest, before.journal)
      const after = await everything(store)
      for (const act of acts({ who: 'Ada', session, atMs: AT_MS + 2 }))
        await assert.rejects(async () => act(), SessionEnded)
      for (const act of acts({ who: 'Ada', session: 'made up', atMs: AT_MS }))
        await assert.rejects(async () => act(), SessionEnded)
      assert.deepEqual(await everything(store), after)
      await people.reset({ ...ada, revokedAtMs: AT_MS + 2 }, link('back'), authorAt(AT_MS + 3))
      await people.accept('back', 'p', { hash: 'again', atMs: AT_MS + 4 })
      await Promise.all([people.setRole('bo', 'manager', { who: 'Ada', session: 'again', atMs: AT_MS + 5 })])
      assert.equal((await people.find('bo'))?.role, 'manager')
    })

    test('only one of two people who revoke each other at the same time succeeds', async (store) => {
      for (let n = 0; n < 5; n += 1) {
        const names = [`Ada ${n}`, `Bo ${n}`]
        for (const name of names) await enter(store, name, 'operator')
        const revoke = (name: string, who: string) =>
          store.people.revoke(name.toLowerCase(), { who, session: `${who}'s`, atMs: AT_MS + 2 })
        const done = await Promise.allSettled(names.map((name, i) => revoke(name, names[1 - i] ?? '')))
        const refused = done.filter((one) => one.status === 'rejected')
        assert(refused.length === 1 && refused[0]?.reason instanceof SessionEnded, JSON.stringify(done))
        const revoked = (await store.people.list()).filter((one) => names.includes(one.name) && one.revokedAtMs)
        assert.equal(revoked.length, 1)
      }
    })

    let nowMs = AT_MS
    const slow = async function* () {
      yield [CAT]
      nowMs += 60_000
    }
    const clock = clockAt(() => nowMs)
    engine.testOn({ clock })(
      'the time of an import is read when it is written, not when it was asked for',
      async (store) => {
        await store.imports.add(slow(), importing({ who: 'a test' }))
        const [entry] = (await everything(store)).journal
        assert.deepEqual([entry?.act, entry?.atMs], ['import', AT_MS + 60_000])
      },
    )
  },
)

async function everything({ people, records, keys, imports, pets, categories }: Store) {
  return {
    people: await people.list(),
    journal: await records.journal(WHOLE_JOURNAL),
    keys: await keys.list({ limit: 100 }),
    imports: await imports.list(100),
    pets: await pets.count(),
    categories: await categories.names(),
  }
}

const importing = (by: LateAuthor) => ({ ...PLAIN_IMPORT, by })
