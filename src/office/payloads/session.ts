/** Routes for signing in and out, invites, one's own account, and failures of the page. */

import type { StatusWords } from '../../rules/names.ts'
import type { Role } from '../../rules/roles.ts'
import { FILTER, json, object, TEXT } from './route.ts'
import type { Shelter } from './settings.ts'

export interface Session {
  /** The person's number, which stays when the name changes. */
  readonly person: string
  readonly name: string
  readonly role: Role
  /** Sent with each write as `X-Session-Token`. */
  readonly token: string
  /** The API's base address, for the test command of a new key. */
  readonly baseUrl: string
  readonly endsAtMs: number
  readonly words: StatusWords
  readonly shelter: Shelter
  /** The server's time zone, used if the shelter has set none. */
  readonly machineZone: string
}

export interface SignOutPending {
  readonly message: string
}

/** The secret at the end of the link, `…/#invitation=SECRET`. */
const INVITATION = { invitation: TEXT }

export const SESSION_ROUTES = {
  /** 401 `refused`, or 429 `wait` with Retry-After. */
  'POST /api/session': { role: 'public', body: object({ name: TEXT, passphrase: TEXT }), response: json<Session>() },
  'GET /api/session': { role: 'viewer', response: json<Session>() },
  /** 204, or 202 with a body. Public: the browser must forget its session even while the database is down. */
  'DELETE /api/session': { role: 'public', response: json<SignOutPending | undefined>() },
  'POST /api/invitation/look': {
    role: 'public',
    body: object(INVITATION),
    response: json<{ readonly name: string; readonly role: Role }>(),
  },
  'POST /api/invitation': {
    role: 'public',
    body: object({ ...INVITATION, passphrase: TEXT }),
    response: json<Session>(),
  },
  /** 409 `conflict` if it is or was another person's name. */
  'POST /api/account/name': {
    role: 'viewer',
    body: object({ name: TEXT }),
    response: json<{ readonly name: string }>(),
  },
  /** 204; ends the person's other sessions. */
  'POST /api/account/passphrase': { role: 'viewer', body: object({ passphrase: TEXT, next: TEXT }) },
  /** 204; the same. */
  'POST /api/account/sign-out': { role: 'viewer' },
  /** 204; logs the beginning, at most 20 a minute. */
  'POST /api/failure': { role: 'viewer', body: object({ screen: FILTER, stack: TEXT }) },
} as const
