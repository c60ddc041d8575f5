/** What every engine guarantees of the people of the office, their invitations and their sessions. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { IDLE_MS, type NewInvitation, type Role, SESSION_MS, SESSIONS_OF_ONE } from '../../src/store/people.ts'
import type { Store } from '../../src/store/store.ts'
import { authorAt } from '../support/author.ts'
import { storeEngines } from './engines.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const DAY_MS = 86_400_000

function invitation(name: string, role: Role, hash: string): NewInvitation {
  return { name, folded: name.toLowerCase(), role, hash, endsAtMs: AT_MS + DAY_MS }
}

async function actsOf(store: Store): Promise<(readonly [string, string, string | undefined, string | undefined])[]> {
  const whole = { petId: undefined, keyId: undefined, sinceMs: undefined, before: undefined, limit: 1_000 }
  return (await store.records.journal(whole)).map(({ who, act, from, to }) => [who, act, from, to] as const).reverse()
}

for (const engine of storeEngines) {
  describe(`the people of ${engine.name}`, engine.needed, () => {
    let running: Awaited<ReturnType<typeof engine.start>>
    before(async () => {
      running = await engine.start()
    })
    after(() => running?.stop())

    /** As the service opens it: on SQLite its writes go through the thread. */
    async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
      const store = await openStore(await running.createDatabase(), { serving: true })
      try {
        await work(store)
      } finally {
        await store.close()
      }
    }

    /** Invites and accepts; the session is called `NAME's`. */
    async function enter(store: Store, name: string, role: Role = 'staff') {
      await store.people.invite(invitation(name, role, `for ${name}`), authorAt(AT_MS))
      const session = { hash: `${name}'s`, atMs: AT_MS + 1 }
      const person = await store.people.accept(`for ${name}`, `hash of ${name}`, session)
      assert(person !== undefined)
      return person
    }

    test('an invitation is found by its hash until it ends, and lets one person in once', () =>
      withStore(async ({ people }) => {
        assert.equal(await people.invite(invitation('Ada', 'manager', 'h'), authorAt(AT_MS)), true)
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

    test('of many acceptances of one invitation at once, one succeeds', () =>
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

    test('a new invitation takes the place of the last, and the passphrase stays until it is accepted', () =>
      withStore(async (store) => {
        const { people } = store
        await enter(store, 'Ada')
        await people.invite(invitation('Ada', 'staff', 'second'), authorAt(AT_MS + 2))
        await people.invite(invitation('Ada', 'staff', 'third'), authorAt(AT_MS + 3))
        assert.equal(await people.invited('second', AT_MS + 4), undefined)
        assert.equal((await people.find('ada'))?.passphrase, 'hash of Ada')
        assert.notEqual(await people.session("Ada's"), undefined, 'the role is the same')
        await people.accept('third', 'new', { hash: 'new session', atMs: AT_MS + 5 })
        assert.equal(await people.session("Ada's"), undefined, 'a new passphrase ends the sessions of the old one')
        assert.equal((await people.list()).length, 1)
      }))

    test('another role holds at once and ends the sessions', () =>
      withStore(async (store) => {
        const { n } = await enter(store, 'Ada', 'operator')
        await store.people.invite(invitation('Ada', 'staff', 'h'), authorAt(AT_MS + 2))
        assert.equal(await store.people.session("Ada's"), undefined)
        assert.equal(await store.people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 3 }), true)
        assert.equal((await store.people.session('s'))?.person.role, 'staff')
      }))

    test('another spelling of a name invites nobody', () =>
      withStore(async (store) => {
        await enter(store, 'Ada')
        assert.equal(await store.people.invite(invitation('ADA', 'operator', 'h'), authorAt(AT_MS)), false)
        assert.equal((await store.people.find('ada'))?.role, 'staff')
        assert.equal(await store.people.invited('h', AT_MS), undefined)
      }))

    test('a revocation ends sessions, invitation and passphrase at once; an invitation lets the person back', () =>
      withStore(async (store) => {
        const { people } = store
        const { n } = await enter(store, 'Ada')
        await enter(store, 'Eve')
        await people.invite(invitation('Ada', 'staff', 'open'), authorAt(AT_MS + 2))
        assert.equal(await people.revoke('ada', authorAt(AT_MS + 3)), true)
        assert.equal(await people.session("Ada's"), undefined)
        assert.notEqual(await people.session("Eve's"), undefined)
        assert.equal(await people.accept('open', 'p', { hash: 's', atMs: AT_MS + 4 }), undefined)
        assert.equal(await people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 4 }), false)
        assert.equal(await people.revoke('ada', authorAt(AT_MS + 9)), true)
        assert.partialDeepStrictEqual(await people.find('ada'), { passphrase: undefined, revokedAtMs: AT_MS + 3 })
        assert.equal(await people.revoke('nobody', authorAt(AT_MS)), false)
        await people.invite(invitation('Ada', 'staff', 'back'), authorAt(AT_MS + 10))
        assert.equal((await people.accept('back', 'p', { hash: 's', atMs: AT_MS + 11 }))?.revokedAtMs, undefined)
      }))

    test('a session begins only on the passphrase that is stored, and ends alone', () =>
      withStore(async (store) => {
        const { people } = store
        const { n } = await enter(store, 'Ada')
        assert.equal(await people.beginSession(n, 'another', { hash: 'x', atMs: AT_MS }), false)
        assert.equal(await people.beginSession(n + 1n, 'hash of Ada', { hash: 'x', atMs: AT_MS }), false)
        assert.equal(await people.beginSession(n, 'hash of Ada', { hash: 'x', atMs: AT_MS + 2 }), true)
        await people.endSession('x')
        assert.equal(await people.session('x'), undefined)
        assert.notEqual(await people.session("Ada's"), undefined)
      }))

    test('being seen never goes back in time, and is known of the person too', () =>
      withStore(async (store) => {
        const { people } = store
        await enter(store, 'Ada')
        await people.noteSeen("Ada's", AT_MS + 90_000)
        await people.noteSeen("Ada's", AT_MS + 60_000)
        await people.noteSeen('no session', AT_MS + 99_000)
        assert.equal((await people.session("Ada's"))?.seenAtMs, AT_MS + 90_000)
        assert.notEqual((await people.find('ada'))?.lastSeenAtMs, AT_MS + 99_000)
      }))

    test('sessions that have ended are removed, and one person has a bounded number of them', () =>
      withStore(async (store) => {
        const { people } = store
        const ada = await enter(store, 'Ada')
        const eve = await enter(store, 'Eve')
        await people.noteSeen("Eve's", AT_MS + IDLE_MS - 1)
        await people.beginSession(eve.n, 'hash of Eve', { hash: 'later', atMs: AT_MS + 1 + IDLE_MS })
        assert.equal(await people.session("Ada's"), undefined, 'idle')
        assert.notEqual(await people.session("Eve's"), undefined)
        for (let n = 0; n <= SESSIONS_OF_ONE; n += 1) {
          await people.beginSession(ada.n, 'hash of Ada', { hash: `${n}`, atMs: AT_MS + IDLE_MS + 10 + n })
        }
        assert.equal(await people.session('0'), undefined, 'the oldest')
        assert.notEqual(await people.session('1'), undefined)
        assert.notEqual(await people.session("Eve's"), undefined)
        await people.beginSession(ada.n, 'hash of Ada', { hash: 'last', atMs: AT_MS + 1 + SESSION_MS })
        assert.equal(await people.session("Eve's"), undefined, 'too old')
      }))

    test('every act leaves its entry in the journal', () =>
      withStore(async (store) => {
        const { n } = await enter(store, 'Ada')
        await store.people.beginSession(n, 'hash of Ada', { hash: 's', atMs: AT_MS + 2 })
        await store.people.invite(invitation('Ada', 'operator', 'h'), authorAt(AT_MS + 3))
        await store.people.revoke('ada', authorAt(AT_MS + 4))
        await store.people.revoke('ada', authorAt(AT_MS + 5))
        const [staff, operator] = ['{"person":"Ada","role":"staff"}', '{"person":"Ada","role":"operator"}']
        assert.deepEqual(await actsOf(store), [
          ['a test', 'invite', undefined, staff],
          ['Ada', 'accept invitation', undefined, undefined],
          ['Ada', 'sign in', undefined, undefined],
          ['a test', 'invite', staff, operator],
          ['a test', 'revoke person', operator, undefined],
        ])
      }))

    test('of two who invite a new person at once, both succeed and the last link counts', () =>
      withStore(async ({ people }) => {
        const hashes = ['a', 'b', 'c']
        const done = await Promise.all(
          hashes.map((hash) => people.invite(invitation('Ada', 'staff', hash), authorAt(AT_MS))),
        )
        assert.deepEqual(done, [true, true, true])
        assert.equal((await people.list()).length, 1)
        const found = await Promise.all(hashes.map((hash) => people.invited(hash, AT_MS)))
        assert.equal(found.filter((person) => person !== undefined).length, 1)
      }))
  })
}
