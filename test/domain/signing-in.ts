/** What tests of signing in share: people on a real database, by a clock that the test sets. */
import assert from 'node:assert/strict'
import crypto, { randomBytes, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, mock } from 'node:test'
import { invitePerson, resetPassphrase } from '../../src/domain/people.ts'
import { type NewSession, SignIn } from '../../src/domain/sign-in.ts'
import type { Role } from '../../src/rules/roles.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clockAt, patientClock } from '../support/time/clock.ts'

export const PASSPHRASE = 'correct horse battery'
export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000

const { scrypt } = crypto
type Done = (error: Error | null, hash: Buffer) => void
/** Hashes at the least cost wait for it, and fail as it does. people.test.ts tests the cost. */
export const computing: { after: () => Promise<void> } = { after: async () => {} }
const compute = (passphrase: Buffer, salt: Buffer, length: number, cost: ScryptOptions, done: Done) =>
  computing.after().then(
    () => scrypt(passphrase, salt, length, { ...cost, N: 2, r: 1, p: 1 }, done),
    (error) => done(error, Buffer.alloc(0)),
  )

export function computeAtLeastCost(): void {
  before(() => {
    mock.method(crypto, 'scrypt', compute)
    syncBuiltinESMExports()
  })
  after(() => {
    mock.restoreAll()
    syncBuiltinESMExports()
  })
}

/** Open as long as the process: files that run in it one after the other share it. */
export const store = await openSqlite(`${temporaryFolder()}/pets.db`, { serving: true, clock: patientClock })
let people = 0

/** A sign-in with a memory of its own, and a clock; the people are those of all tests. */
export function setUp() {
  const clock = { nowMs: Date.UTC(2026, 10, 21, 12) }
  const now = clockAt(() => clock.nowMs)
  const signIn = new SignIn({ store, clock: now, randomBytes })
  const inviter = { store, clock: now, randomBytes, who: 'a test' }
  const invite = async (name: string, role: Role = 'staff') => {
    const { invitation } = await invitePerson(inviter, { name, role })
    return invitation.secret
  }
  const enter = async (): Promise<NewSession> => {
    people += 1
    const session = await signIn.accept(await invite(`Person ${people}`), PASSPHRASE)
    assert(session !== undefined && !('waitMs' in session))
    return session
  }
  const reset = async (name: string) => {
    const made = await resetPassphrase(inviter, name)
    assert(made !== undefined)
    return made.invitation.secret
  }
  return { clock, signIn, inviter, invite, reset, enter }
}

export const isSession = (found: unknown): found is NewSession =>
  typeof found === 'object' && found !== null && 'secret' in found
