/** What every engine guarantees of the people of the office, their invitations and their sessions. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { NewPet } from '../../src/contract/schemas.ts'
import { SESSION_MS, SESSIONS_OF_ONE } from '../../src/rules/bounds.ts'
import { ALL_ANIMALS } from '../../src/rules/search.ts'
import type { Author, LateAuthor } from '../../src/store/author.ts'
import type { Role } from '../../src/store/people.ts'
import { type NewInvitation, SessionEnded } from '../../src/store/people.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine, withNewStore } from '../support/on-each-engine.ts'
import { authorAt, batchesOf, keyOf, PLAIN_IMPORT, WHOLE_JOURNAL } from '../support/store.ts'
import { clockAt, unhurried } from '../support/time/clock.ts'
import { storeEngines } from './engines.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const DAY_MS = 86_400_000

function invitation(name: string, role: Role, hash: string): NewInvitation {
  return { name, folded: name.toLowerCase(), role, hash, endsAtMs: AT_MS + DAY_MS }
}

const link = (hash: string) => ({ hash, endsAtMs: AT_MS + DAY_MS })
const CAT: NewPet = { name: 'Cat', categoryId: 2n }
const KEY = keyOf({ id: 'key_1' })

async function actsOf(store: Store): Promise<(readonly [string, string, string | undefined, string | undefined])[]> {
  return (await store.records.journal(WHOLE_JOURNAL))
    .map(({ who, act, from, to }) => [who, act, from, to] as const)
    .reverse()
}

onEachEngine(
  (name) => `the people of ${name}`,
  (engine) => {
    /** As the service opens it: on SQLite its writes go through the thread. */
    const withStore = (work: (store: Store) => Promise<void>) => withNewStore(engine, work, { serving: true })

    /** Invites and accepts; the session is called `NAME's`. */
    async function enter(store: Store, name: string, role: Role = 'staff') {
      await store.people.invite(invitation(name, role, `for ${name}`), authorAt(AT_MS))
      const session = { hash: `${name}'s`, atMs: AT_MS + 1 }
      const person = await store.people.accept(`for ${name}`, `hash of ${name}`, session)
      assert(person !== undefined)
      return person
    }

    it('an invitation is found by its hash until it ends, and lets one person in once', () =>
      withStore(async ({ people }) => {
        assert.equal(await people.invite(invitation('Ada', 'manager', 'h'), authorAt(AT_MS)), undefined)
        const person = {
          ...{ n: 1n, name: 'Ada', folded: 'ada', role: 'manager', passphrase: undefined, createdAtMs: AT_MS },
          ...{ lastSeenAtMs: undefined, revokedAtMs: undefined, invitationEndsAtMs: AT_MS + DAY_MS },
        }
        assert.deepEqual(await people.list(), [person])
        assert.deepEqual(await people.find('ada'), person)
        assert.deepEqual(await people.invited('h', AT_MS + DAY_MS - 1), person)
        assert.equal(await people.invited('h', AT_MS + DAY_MS), undefined)
        assert.equal(await people.invited('other', AT_MS), undefined)
        assert.equal(await people.accept('h', 'p', { hash: 's', atMs: AT_MS + DAY_MS }), undefined, 'too late')
        const accepted = { ...person, passphrase: 'p', invitationEndsAtMs: undefined }
        const session = { hash: 's', atMs: AT_MS + 5 }
        assert.deepEqual({ ...(await people.accept('h', 'p', session)), lastSeenAtMs: undefined }, accepted)
        assert.equal(await people.accept('h', 'q', { hash: 't', atMs: AT_MS + 6 }), undefined, 'used')
        assert.deepEqual(await people.session('s'), {
          person: { ...accepted, lastSeenAtMs: AT_MS + 5 },
          ...{ createdAtMs: AT_MS + 5, seenAtMs: AT_MS + 5 },
        })
        assert.equal(await people.session('t'), undefined)
      }))

    it('of many acceptances of one invitation at once, one succeeds', () =>
      withStore(async ({ people }) => {
        await people.invite(invitation('Ada', 'staff', 'h'), authorAt(AT_MS))
        const sessions = Array.from({ length: 8 }, (_, n) => ({ hash: `s${n}`, atMs: AT_MS + 1 }))
        const accepted = await Promise.all(sessions.map((session) => people.accept('h', `of ${session.hash}`, session)))
        const winners = accepted.filter((person) => person !== undefined)
        assert.equal(winners.length, 1)
        const begun = await Promise.all(sessions.map(({ hash }) => people.session(hash)))
        assert.deepEqual(
          begun.map((session) => session !== undefined),
          accepted.map((person) => person !== undefined),
        )
        assert.equal((await people.find('ada'))?.passphrase, winners[0]?.passphrase)
      }))

    it('a new link takes the place of the last, and the passphrase stays until it is used', () =>
      withStore(async (store) => {
        const { people } = store
        const ada = await enter(store, 'Ada')
        assert.equal(await people.reset(ada, link('second'), authorAt(AT_MS + 2)), true)
        assert.equal(await people.reset(ada, link('third'), authorAt(AT_MS + 3)), true)
        assert.equal(await people.invited('second', AT_MS + 4), undefined)
        assert.equal((await people.find('ada'))?.passphrase, 'hash of Ada')
        assert.notEqual(await people.session("Ada's"), undefined)
        await people.accept('third', 'new', { hash: 'new session', atMs: AT_MS + 5 })
        assert.equal(await people.session("Ada's"), undefined, 'a new passphrase ends the sessions of the old one')
        assert.equal((await people.list()).length, 1)
      }))

    it('another role holds at once and ends the sessions; the same one changes nothing', () =>
      withStore(async (store) => {
        const { n } = await enter(store, 'Ada', 'operator')
        assert.equal(await store.people.setRole('ada', 'operator', authorAt(AT_MS + 2)), true)
        assert.notEqual(await store.people.session("Ada's"), undefined)
        assert.equal(await store.people.setRole('ada', 'staff', authorAt(AT_MS + 2)), true)
        assert.equal(await store.people.session("Ada's"), undefined)
        assert.equal(await store.people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 3 }), true)
        assert.equal((await store.people.session('s'))?.person.role, 'staff')
        assert.equal(await store.people.setRole('nobody', 'staff', authorAt(AT_MS + 2)), false)
      }))

    it('signing out everywhere ends all sessions of one person; passphrase, role and an open link stay', () =>
      withStore(async (store) => {
        const { people } = store
        const ada = await enter(store, 'Ada', 'manager')
        await enter(store, 'Eve')
        await people.beginSession(ada.n, 'hash of Ada', { hash: 'second', atMs: AT_MS + 2 })
        await people.reset(ada, link('open'), authorAt(AT_MS + 2))
        const before = await people.find('ada')
        assert.equal(await people.signOut('ada', authorAt(AT_MS + 3)), true)
        for (const hash of ["Ada's", 'second']) assert.equal(await people.session(hash), undefined, hash)
        assert.notEqual(await people.session("Eve's"), undefined)
        assert.deepEqual(await people.find('ada'), before)
        assert.equal((await people.invited('open', AT_MS + 3))?.name, 'Ada')
        assert.equal(await people.signOut('nobody', authorAt(AT_MS + 3)), false)
      }))

    it('an invitation of a name that is there changes nothing, in whatever state the person is', () =>
      withStore(async (store) => {
        const { people } = store
        await enter(store, 'Ada')
        await people.invite(invitation('Bo', 'staff', 'open'), authorAt(AT_MS))
        await enter(store, 'Cy')
        await people.revoke('cy', authorAt(AT_MS))
        const before = await people.list()
        for (const name of ['ADA', 'Ada', 'Bo', 'Cy']) {
          const owner = await people.invite(invitation(name, 'operator', 'h'), authorAt(AT_MS))
          assert.equal(owner?.folded, name.toLowerCase())
        }
        assert.deepEqual(await people.list(), before)
        assert.equal(await people.invited('h', AT_MS), undefined)
        assert.equal((await people.invited('open', AT_MS))?.name, 'Bo')
        assert.notEqual(await people.session("Ada's"), undefined)
      }))

    it('a revocation ends sessions, invitation and passphrase at once; a new link lets the person back', () =>
      withStore(async (store) => {
        const { people } = store
        const { n } = await enter(store, 'Ada')
        await enter(store, 'Eve')
        await people.reset({ folded: 'ada', revokedAtMs: undefined }, link('open'), authorAt(AT_MS + 2))
        assert.equal(await people.revoke('ada', authorAt(AT_MS + 3)), true)
        assert.equal(await people.session("Ada's"), undefined)
        assert.notEqual(await people.session("Eve's"), undefined)
        assert.equal(await people.accept('open', 'p', { hash: 's', atMs: AT_MS + 4 }), undefined)
        assert.equal(await people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 4 }), false)
        assert.equal(await people.revoke('ada', authorAt(AT_MS + 9)), true)
        assert.partialDeepStrictEqual(await people.find('ada'), { passphrase: undefined, revokedAtMs: AT_MS + 3 })
        assert.equal(await people.revoke('nobody', authorAt(AT_MS)), false)
        const seen = { folded: 'ada', revokedAtMs: undefined }
        assert.equal(await people.reset(seen, link('back'), authorAt(AT_MS + 10)), false, 'revoked since it was read')
        assert.equal(await people.reset({ ...seen, revokedAtMs: AT_MS + 3 }, link('back'), authorAt(AT_MS + 10)), true)
        assert.equal((await people.accept('back', 'p', { hash: 's', atMs: AT_MS + 11 }))?.revokedAtMs, undefined)
      }))

    it('a session begins only on the passphrase that is stored, and ends alone', () =>
      withStore(async (store) => {
        const { people } = store
        const { n } = await enter(store, 'Ada')
        assert.equal(await people.beginSession(n, 'another', { hash: 'x', atMs: AT_MS }), false)
        assert.equal(await people.beginSession(n + 1n, 'hash of Ada', { hash: 'x', atMs: AT_MS }), false)
        assert.equal(await people.beginSession(n, 'hash of Ada', { hash: 'x', atMs: AT_MS + 2 }), true)
        assert.equal((await people.endSession('x', AT_MS + 3))?.name, 'Ada')
        assert.equal(await people.endSession('x', AT_MS + 3), undefined)
        assert.equal(await people.session('x'), undefined)
        assert.notEqual(await people.session("Ada's"), undefined)
      }))

    it('being seen never goes back in time, and is known of the person too', () =>
      withStore(async (store) => {
        const { people } = store
        await enter(store, 'Ada')
        await people.noteSeen("Ada's", AT_MS + 90_000)
        await people.noteSeen("Ada's", AT_MS + 60_000)
        await people.noteSeen('no session', AT_MS + 99_000)
        assert.equal((await people.session("Ada's"))?.seenAtMs, AT_MS + 90_000)
        assert.notEqual((await people.find('ada'))?.lastSeenAtMs, AT_MS + 99_000)
      }))

    it('one person has a bounded number of sessions, and a clock that is ahead once ends none for good', () =>
      withStore(async (store) => {
        const { people } = store
        const ada = await enter(store, 'Ada')
        await enter(store, 'Eve')
        await people.beginSession(ada.n, 'hash of Ada', { hash: 'ahead', atMs: AT_MS + 10 * SESSION_MS })
        assert.notEqual(await people.session("Ada's"), undefined)
        assert.notEqual(await people.session("Eve's"), undefined)
        for (let n = 0; n < SESSIONS_OF_ONE; n += 1) {
          await people.beginSession(ada.n, 'hash of Ada', { hash: `${n}`, atMs: AT_MS + 10 + n })
        }
        assert.equal(await people.session("Ada's"), undefined, 'the oldest')
        assert.equal(await people.session('0'), undefined, 'the next')
        assert.notEqual(await people.session('1'), undefined)
        assert.notEqual(await people.session("Eve's"), undefined, 'of somebody else')
      }))

    it('every act leaves its entry in the journal', () =>
      withStore(async (store) => {
        const { n } = await enter(store, 'Ada')
        await store.people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 2 })
        await store.people.endSession('s', AT_MS + 3)
        await store.people.endSession('s', AT_MS + 3)
        await store.people.invite(invitation('Ada', 'operator', 'h'), authorAt(AT_MS + 3))
        await store.people.setRole('ada', 'operator', authorAt(AT_MS + 3))
        await store.people.signOut('ada', authorAt(AT_MS + 3))
        await store.people.beginSession(n, 'hash of Ada', { hash: 't', atMs: AT_MS + 3 })
        await store.people.signOut('ada', authorAt(AT_MS + 3))
        await store.people.reset({ folded: 'ada', revokedAtMs: undefined }, link('h'), authorAt(AT_MS + 3))
        await store.records.noteExport('csv', ALL_ANIMALS, authorAt(AT_MS + 3))
        await store.people.revoke('ada', authorAt(AT_MS + 4))
        await store.people.revoke('ada', authorAt(AT_MS + 5))
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
      }))

    it('who sets another passphrase or signs out elsewhere keeps the own session, and no other of theirs', () =>
      withStore(async ({ people }) => {
        await people.invite(invitation('Ada', 'staff', 'h'), authorAt(AT_MS))
        const ada = await people.accept('h', 'old', { hash: 'own', atMs: AT_MS })
        const begin = async (passphrase: string) =>
          people.beginSession(ada?.n ?? 0n, passphrase, { hash: 'other', atMs: AT_MS })
        const left = async () =>
          [await people.session('own'), await people.session('other')].map((one) => one !== undefined)
        const by = { who: 'Ada', session: 'own', atMs: AT_MS }
        assert.equal(await begin('old'), true)
        assert.equal((await people.setPassphrase('ada', 'new', by))?.passphrase, 'new')
        assert.deepEqual(await left(), [true, false])
        assert.deepEqual([await begin('old'), await begin('new')], [false, true])
        await people.signOut('ada', by)
        assert.deepEqual(await left(), [true, false])
        assert.equal(await people.setPassphrase('eve', 'new', by), undefined)
      }))

    it('another name leaves a person what they did, and nobody else gets a name that somebody had', () =>
      withStore(async (store) => {
        const { people, records } = store
        const [ada, eve] = [await enter(store, 'Ada'), await enter(store, 'Eve')]
        const pet = await records.add({ name: 'Rex', categoryId: 1n }, { who: 'Ada', atMs: AT_MS }, 'a')
        const target = { id: BigInt(pet.pet?.id ?? 0), version: pet.pet?.version ?? 0n }
        const name = (n: bigint, to: string) => people.rename(n, invitation(to, 'staff', ''), { who: 'x', atMs: AT_MS })
        for (const to of ['Bea', 'Bea', 'Cia']) assert.equal(await name(ada.n, to), undefined)
        assert.deepEqual([(await people.session("Ada's"))?.person.name, await people.find('ada')], ['Cia', undefined])
        for (const taken of ['Ada', 'ADA', 'bea', 'Cia']) {
          assert.equal((await name(eve.n, taken))?.n, ada.n, taken)
          assert.equal((await people.invite(invitation(taken, 'staff', 'h'), authorAt(AT_MS)))?.n, ada.n, taken)
        }
        const isOwn = async (who: string) => (await records.owned('add', [target.id], who)).size
        assert.deepEqual([await isOwn('Cia'), await isOwn('Eve'), await isOwn('Bea')], [1, 0, 0])
        assert.equal((await records.undo([target], { who: 'Eve', atMs: AT_MS }, 'own')).changed, 0)
        assert.equal((await records.undo([target], { who: 'Cia', atMs: AT_MS }, 'own')).changed, 1)
        assert.equal(await name(ada.n, 'Ada'), undefined, 'one may go back')
        const both = await Promise.all([ada, eve].map(({ n }) => name(n, 'Zoe')))
        assert.equal(both.filter((owner) => owner === undefined).length, 1)
        const renamed = (await actsOf(store)).filter(([, act]) => act === 'rename person')
        assert.deepEqual(renamed[0], [
          'x',
          'rename person',
          '{"person":"Ada","role":"staff"}',
          '{"person":"Bea","role":"staff"}',
        ])
        assert.equal(renamed.length, 4, 'the same name is no act')
      }))

    it('of many who invite a new person at once, one does', () =>
      withStore(async ({ people }) => {
        const hashes = ['a', 'b', 'c']
        const done = await Promise.all(
          hashes.map((hash) => people.invite(invitation('Ada', 'staff', hash), authorAt(AT_MS))),
        )
        assert.equal(done.filter((owner) => owner === undefined).length, 1)
        assert.equal((await people.list()).length, 1)
        const found = await Promise.all(hashes.map((hash) => people.invited(hash, AT_MS)))
        assert.deepEqual(
          found.map((person) => person !== undefined),
          done.map((owner) => owner === undefined),
        )
      }))

    it('what is done in a session that has ended or passed its time is refused, and nothing is changed', () =>
      withStore(async (store) => {
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
      }))

    it('of two who revoke each other at once, one does', () =>
      withStore(async (store) => {
        for (let n = 0; n < 5; n += 1) {
          const names = [`Ada ${n}`, `Bo ${n}`]
          for (const name of names) await enter(store, name, 'operator')
          const done = await Promise.allSettled(
            names.map((name, i) => {
              const who = names[1 - i] ?? ''
              return store.people.revoke(name.toLowerCase(), { who, session: `${who}'s`, atMs: AT_MS + 2 })
            }),
          )
          const refused = done.filter((one) => one.status === 'rejected')
          assert(refused.length === 1 && refused[0]?.reason instanceof SessionEnded, JSON.stringify(done))
          const revoked = (await store.people.list()).filter(
            ({ name, revokedAtMs }) => names.includes(name) && revokedAtMs,
          )
          assert.equal(revoked.length, 1)
        }
      }))

    it('the time of an import is read when it is written, not when it was asked for', () => {
      let nowMs = AT_MS
      const slow = async function* () {
        yield [CAT]
        nowMs += 60_000
      }
      const work = async (store: Store) => {
        await store.imports.add(slow(), importing({ who: 'a test' }))
        const [entry] = (await everything(store)).journal
        assert.deepEqual([entry?.act, entry?.atMs], ['import', AT_MS + 60_000])
      }
      return withNewStore(engine, work, { clock: unhurried(clockAt(() => nowMs)) })
    })
  },
  storeEngines,
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
