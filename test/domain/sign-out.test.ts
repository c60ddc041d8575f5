/** Signing out, also while the database is away, by a clock on which only the test lets time pass. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { hashToken, invitePerson } from '../../src/domain/people.ts'
import { SignIn } from '../../src/domain/sign-in.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'
import { computeAtLeastCost, HOUR_MS, PASSPHRASE, store } from './signing-in.ts'

computeAtLeastCost()

const { session } = store.people
let people = 0
afterEach(() => {
  store.people.session = session
})

const turn = () => new Promise((resolve) => setImmediate(resolve))
const sofar = (promise: Promise<unknown>) =>
  Promise.race([promise.catch((error: unknown) => error), turn().then(() => 'waiting')])

/** Somebody who is signed in, and a database that can be away. */
async function setUp() {
  const clock = new VirtualClock()
  const signIn = new SignIn({ store, clock, randomBytes })
  people += 1
  const request = { name: `Leaver ${people}`, role: 'staff' } as const
  const { invitation } = await invitePerson({ store, clock, randomBytes, who: 'a test' }, request)
  const begun = await signIn.accept(invitation.secret, PASSPHRASE)
  assert(begun !== undefined && 'secret' in begun)
  const database = { asked: 0 }
  const takeAway = () => {
    store.people.session = () => {
      database.asked += 1
      throw new Error('gone')
    }
  }
  /** As the process would: after each timer there is a turn of the event loop. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.pass(500)
      await turn()
    }
  }
  return { clock, signIn, begun, database, takeAway, pass }
}

describe('signing out while the database is away', () => {
  it('ends the session immediately, and is stored as soon as the database responds', async () => {
    const { signIn, begun, database, takeAway, pass } = await setUp()
    takeAway()
    const ended = signIn.end(begun.secret)
    ended.catch(() => {})
    assert.equal(await signIn.session(begun.secret), undefined, 'without asking the database')
    assert.equal(await sofar(signIn.end(begun.secret)), undefined, 'and once is enough')
    await pass(2_000)
    assert.equal(await sofar(ended), 'waiting')
    await pass(500)
    assert.match(String(await sofar(ended)), /^StoreUnavailable: .*: the end of a session is not stored yet$/)
    assert.equal(database.asked, 6, 'each half a second')
    store.people.session = session
    assert.notEqual(await session.call(store.people, hashToken(begun.secret)), undefined)
    await pass(500)
    const isEnded = async () => (await session.call(store.people, hashToken(begun.secret))) === undefined
    await until('the end is stored', isEnded)
  })

  it('is tried for as long as the session would last, and no longer', async () => {
    const { clock, signIn, begun, database, takeAway, pass } = await setUp()
    takeAway()
    const ended = signIn.end(begun.secret).catch(() => 'not stored')
    await pass(2_500)
    assert.equal(await sofar(ended), 'not stored')
    clock.nowMs = begun.endsAtMs - 1_000
    await pass(500)
    assert.equal(database.asked, 7)
    await pass(1_000)
    assert.equal(database.asked, 7)
    const again = signIn.end(begun.secret).catch(() => 'not stored')
    assert.equal(database.asked, 8, 'and nothing is kept of it')
    clock.nowMs += 12 * HOUR_MS
    await pass(2_500)
    assert.equal(await sofar(again), undefined, 'which is no failure: it has expired')
  })

  it('is refused for more than a thousand at a time, so that made-up cookies do not fill the memory', async () => {
    const { signIn, begun, takeAway, pass } = await setUp()
    takeAway()
    const invented = Array.from({ length: 1_000 }, (_, n) => signIn.end(`made up ${n}`).catch(() => 'not stored'))
    const refused = await sofar(signIn.end(begun.secret))
    assert.match(String(refused), /^StoreUnavailable: .*: too many sessions are being ended$/)
    store.people.session = session
    await pass(500)
    assert.deepEqual(new Set(await Promise.all(invented)), new Set([undefined]))
    assert.equal((await signIn.end(begun.secret))?.name, begun.person.name)
  })
})

it('signing out leaves no timer behind, for which the process would wait', async () => {
  const { clock, signIn, begun } = await setUp()
  assert.equal((await signIn.end(begun.secret))?.name, begun.person.name)
  assert.equal(clock.timers, 0)
})
