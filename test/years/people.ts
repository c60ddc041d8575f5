/** The office over the years: how long invitations and sessions last, held to what the documents say of them. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { invitePerson } from '../../src/domain/people.ts'
import { assertSame, type History } from '../histories/history.ts'
import { fraction, type Kind, pickOf, stepsOf } from '../histories/kinds.ts'
import { askOffice, enterAtStore } from '../support/office-client.ts'
import type { House } from './house.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const INVITATION_MS = 24 * HOUR_MS
const SESSION_MS = 12 * HOUR_MS
const IDLE_MS = 30 * MINUTE_MS
/** What is dated later than this from now was begun while the clock was ahead, and is not believed. */
const BELIEVED_MS = 5 * MINUTE_MS
/** Of those that were made, the newest are looked at. */
const LOOKED_AT = 5
/** The fraction of a list at which its last element is. */
const LAST = 0.999

interface Invitation {
  readonly secret: string
  readonly endsAtMs: number
}

interface Session {
  readonly cookie: string
  readonly createdAtMs: number
  /** As it is stored: to the minute. */
  seenAtMs: number
}

/** Lets time pass. */
type Pass = (history: History, place: House, ms: number, why: string) => Promise<void>

export function invitationSteps(pass: Pass) {
  const invitations: Invitation[] = []

  const inviting: Kind<Record<string, never>, House> = {
    name: 'invite',
    weight: 0.6,
    draw: fc.constant({}),
    async play(history, place) {
      const name = `Person ${history.next()}`
      history.tell(`pets people invite '${name}' --role staff`)
      const secretOf = (size: number) => createHash('sha256').update(name).digest().subarray(0, size)
      const store = await place.store()
      const inviter = { store, clock: place.clock, randomBytes: secretOf, who: 'a history' }
      const { invited } = await invitePerson(inviter, { name, role: 'staff' })
      invitations.push({ secret: invited.secret, endsAtMs: place.nowMs() + INVITATION_MS })
    },
  }

  const looking: Kind<{ pick: number }, House> = {
    name: 'look at an invitation',
    weight: 1,
    draw: fc.record({ pick: fraction() }),
    can: () => invitations.length > 0,
    async play(history, place, { pick }) {
      const { secret, endsAtMs } = pickOf(invitations.slice(-LOOKED_AT), pick) as Invitation
      const nowMs = place.nowMs()
      const isOpen = nowMs < endsAtMs && endsAtMs <= nowMs + INVITATION_MS + BELIEVED_MS
      const { status } = await askOffice(place, 'POST', '/api/invitation/look', { invitation: secret })
      tell(history, `an invitation until ${new Date(endsAtMs).toISOString()}`, status)
      assertSame('the status of an invitation', status, isOpen ? 200 : 404)
    },
  }

  /** An invitation that is looked at in its last moment, and in the one after it. */
  const outlasting: Kind<Record<string, never>, House> = {
    name: 'an invitation to its end',
    weight: 0.3,
    draw: fc.constant({}),
    async play(history, place) {
      await inviting.play(history, place, {})
      for (const ms of [INVITATION_MS - 1, 1]) {
        await pass(history, place, ms, 'to the end of an invitation')
        await looking.play(history, place, { pick: LAST })
      }
    },
  }

  return [stepsOf(inviting), stepsOf(looking), stepsOf(outlasting)]
}

export function sessionSteps(pass: Pass) {
  const sessions: Session[] = []

  const entering: Kind<Record<string, never>, House> = {
    name: 'come in',
    weight: 0.6,
    draw: fc.constant({}),
    async play(history, place) {
      const name = `Visitor ${history.next()}`
      const nowMs = place.nowMs()
      const { cookie } = await enterAtStore(place, await place.store(), place.clock, name, 'manager')
      await place.settled()
      tell(history, `${name} comes in`, 200)
      sessions.push({ cookie, createdAtMs: nowMs, seenAtMs: nowMs })
    },
  }

  const staying: Kind<{ pick: number }, House> = {
    name: 'use a session',
    weight: 3,
    draw: fc.record({ pick: fraction() }),
    can: () => sessions.length > 0,
    async play(history, place, { pick }) {
      const session = pickOf(sessions.slice(-LOOKED_AT), pick) as Session
      const { cookie, createdAtMs, seenAtMs } = session
      const nowMs = place.nowMs()
      const isOver = nowMs >= createdAtMs + SESSION_MS || nowMs >= seenAtMs + IDLE_MS
      const holds = !isOver && Math.max(createdAtMs, seenAtMs) <= nowMs + BELIEVED_MS
      const { status } = await askOffice(place, 'GET', '/api/session', undefined, { cookie })
      await place.settled()
      tell(history, `a session since ${new Date(createdAtMs).toISOString()}`, status)
      assertSame('the status of a session', status, holds ? 200 : 401)
      if (holds && nowMs - seenAtMs >= MINUTE_MS) session.seenAtMs = nowMs
    },
  }

  /** One session from its beginning to its end, by its length or by a pause that is too long. */
  const visiting: Kind<{ pauses: readonly number[] }, House> = {
    name: 'a visit',
    weight: 0.5,
    draw: fc.record({
      pauses: fc.oneof(
        fc.array(fc.constantFrom(MINUTE_MS, IDLE_MS - 1, IDLE_MS), { minLength: 1, maxLength: 4 }),
        fc.constantFrom([...new Array<number>(26).fill(27 * MINUTE_MS), 18 * MINUTE_MS - 1, 1], [SESSION_MS]),
      ),
    }),
    async play(history, place, { pauses }) {
      await entering.play(history, place, {})
      for (const ms of pauses) {
        await pass(history, place, ms, 'a pause')
        await staying.play(history, place, { pick: LAST })
      }
    },
  }

  return [stepsOf(entering), stepsOf(staying), stepsOf(visiting)]
}

function tell(history: History, what: string, status: number): void {
  history.tell(`# in the office: ${what}: ${status}`)
}
