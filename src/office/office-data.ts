/** The JSON between the office's page and its server. An int64 is decimal text, a time Unix ms, no status null (O4). */
import type { Static } from '../contract/schemas.ts'
import type { Role } from '../rules/roles.ts'
import { ANIMAL_ROUTES, type Animal } from './payloads/animals.ts'
import { CATEGORY_ROUTES } from './payloads/categories.ts'
import { DASHBOARD_ROUTES } from './payloads/dashboard.ts'
import { IMPORT_ROUTES } from './payloads/imports.ts'
import { JOURNAL_ROUTES } from './payloads/journal.ts'
import { KEY_ROUTES } from './payloads/keys.ts'
import { PEOPLE_ROUTES } from './payloads/people.ts'
import type { Json, Route } from './payloads/route.ts'
import { SESSION_ROUTES } from './payloads/session.ts'
import { SETTINGS_ROUTES } from './payloads/settings.ts'

export type * from './payloads/animals.ts'
export type * from './payloads/categories.ts'
export type * from './payloads/dashboard.ts'
export type * from './payloads/imports.ts'
export type * from './payloads/journal.ts'
export type * from './payloads/keys.ts'
export type * from './payloads/people.ts'
export type * from './payloads/session.ts'
export type * from './payloads/settings.ts'

export type { Role }

export const ROUTES = {
  ...SESSION_ROUTES,
  ...ANIMAL_ROUTES,
  ...CATEGORY_ROUTES,
  ...SETTINGS_ROUTES,
  ...IMPORT_ROUTES,
  ...KEY_ROUTES,
  ...PEOPLE_ROUTES,
  ...JOURNAL_ROUTES,
  ...DASHBOARD_ROUTES,
} as const satisfies Readonly<Record<string, Route>>

type Routes = typeof ROUTES
export type RouteName = keyof Routes
export type ParametersOf<Name extends string> = Name extends `${infer Before}:${infer Parameter}/${infer After}`
  ? ParametersOf<`${Before}:${Parameter}`> & ParametersOf<After>
  : Name extends `${string}:${infer Parameter}`
    ? { readonly [P in Parameter]: string }
    : unknown
export type QueryOf<Name extends RouteName> = Routes[Name] extends { query: infer S } ? Static<S> : unknown
export type BodyOf<Name extends RouteName> = Routes[Name] extends { body: infer S } ? Static<S> : Record<string, never>
export type ResponseOf<Name extends RouteName> = Routes[Name] extends { response: Json<infer T> } ? T : undefined

export interface OfficeError {
  readonly code:
    | 'signed_out' // no session, or one that has ended
    | 'refused' // the name or the passphrase is wrong; which one is not said
    | 'wait' // too many failures; Retry-After says how long
    | 'forbidden' // the role does not allow it
    | 'foreign' // the request does not come from the office's page
    | 'passphrase' // the passphrase asked for again is wrong
    | 'invalid'
    | 'not_found'
    | 'conflict'
    | 'taken' // another animal has the reference
    | 'unavailable'
    | 'internal_error'
  /** A sentence for people: what is wrong, and what to do. */
  readonly message: string
  /** What is wrong, by member of the body. */
  readonly problems?: Readonly<Record<string, string>>
}

export interface Conflict extends OfficeError {
  readonly code: 'conflict'
  readonly current: Animal
}
