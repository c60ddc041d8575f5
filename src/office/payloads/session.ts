/** Signing in and out, invitations, one's own account, and what fails in the page. */

import type { StatusWords } from '../../rules/names.ts'
import type { Role } from '../../rules/roles.ts'
import { FILTER, json, object, TEXT } from './route.ts'
import type { Shelter } from './settings.ts'

export interface Session {
  /** The number of the person, which stays while the name changes. */
  readonly person: string
  readonly name: string
  readonly role: Role
  /** Sent with each write as `X-Session-Token`. */
  readonly token: string
  /** The public base address, for the `curl` line of a new key. */
  readonly baseUrl: string
  readonly endsAtMs: number
  readonly words: StatusWords
  readonly shelter: Shelter
  /** The time zone of the machine, which counts while the shelter has not set one. */
  readonly machineZone: string
}

/** The end of the session is not stored yet, because the database does not answer. */
export interface SignOutPending {
  /** A sentence for people. */
  readonly message: string
}

/** The secret at the end of the link, `…/#invitation=SECRET`. */
const INVITATION = { invitation: TEXT }

export const SESSION_ROUTES = {
  /** 401 `refused`, or 429 `wait` with Retry-After. */
  'POST /api/session': { role: 'public', body: object({ name: TEXT, passphrase: TEXT }), response: json<Session>() },
  'GET /api/session': { role: 'viewer', response: json<Session>() },
  /**
   * 204, or 202 with a body; the cookie is cleared with both. Public: the browser must forget its session even if the
   * database cannot tell whose it is.
   */
  'DELETE /api/session': { role: 'public', response: json<SignOutPending | undefined>() },
  /** 404 if it is not valid any more. */
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
  /** 409 `conflict` if it is another person's, or was. Answered as it is stored. */
  'POST /api/account/name': {
    role: 'viewer',
    body: object({ name: TEXT }),
    response: json<{ readonly name: string }>(),
  },
  /** 204; the person's other sessions have ended. */
  'POST /api/account/passphrase': { role: 'viewer', body: object({ passphrase: TEXT, next: TEXT }) },
  /** 204; the same. */
  'POST /api/account/sign-out': { role: 'viewer' },
  /** 204; its beginning is in the log, unless there are many in a minute. */
  'POST /api/failure': { role: 'viewer', body: object({ screen: FILTER, stack: TEXT }) },
} as const
