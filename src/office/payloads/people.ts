/** Routes for people, their roles and invites. */
import { ROLES } from '../../rules/roles.ts'
import type { PersonRecord } from '../../store/people.ts'
import { json, object, type Sent, TEXT } from './route.ts'

const ROLE = { enum: ROLES } as const

export interface Person extends Pick<Sent<PersonRecord>, 'name' | 'role' | 'createdAtMs' | 'lastSeenAtMs'> {
  /** `invited` has not chosen a passphrase yet; `lapsed` did not within a day. */
  readonly state: 'invited' | 'lapsed' | 'active' | 'revoked'
}

export interface Invitation {
  readonly person: Person
  /** Valid once, for 24 hours. Shown once. */
  readonly link: string
  readonly endsAtMs: number
}

export const PEOPLE_ROUTES = {
  'GET /api/people': { role: 'operator', response: json<readonly Person[]>() },
  /** 201, or 409 `conflict` if the name is taken. */
  'POST /api/people': {
    role: 'operator',
    body: object({ name: TEXT, role: ROLE, passphrase: TEXT }),
    response: json<Invitation>(),
  },
  'POST /api/people/:name/reset': {
    role: 'operator',
    body: object({ passphrase: TEXT }),
    response: json<Invitation>(),
  },
  /** 409 `conflict` if the role is unchanged. */
  'POST /api/people/:name/role': {
    role: 'operator',
    body: object({ role: ROLE, passphrase: TEXT }),
    response: json<readonly Person[]>(),
  },
  'POST /api/people/:name/sign-out': { role: 'operator', response: json<readonly Person[]>() },
  'POST /api/people/:name/revoke': { role: 'operator', response: json<readonly Person[]>() },
} as const
