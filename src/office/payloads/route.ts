/** How a route is declared, for page and server. An int64 is text, because a JSON number might lose digits. */
import { PetStatus } from '../../contract/schemas.ts'
import type { Role } from '../../rules/roles.ts'

export interface Route {
  /** The lowest role that can call it; `public` needs no session. */
  readonly role: Role | 'public'
  readonly query?: object
  /** Without it, a write sends `{}`. */
  readonly body?: object
  /** Takes a file (multipart/form-data) instead of JSON. */
  readonly expectsUpload?: true
  readonly response?: Json<unknown>
}

export interface Json<T> {
  readonly type?: T
}

/** A store record as it is sent: an int64 as text, null for undefined. */
export type Sent<T> = { readonly [Name in keyof T]: SentValue<T[Name]> }
type SentValue<V> = V extends bigint ? string : V extends undefined ? null : V

/** Declares the type of a response; it has no value at run time. */
export function json<T>(): Json<T> {
  return {}
}

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean' } as const
export const INT64 = { type: 'string', maxLength: 20 } as const
export const STATUS = { enum: [...PetStatus.enum, null] } as const
/** Longer than any label, name or id, in UTF-16 units. PostgreSQL's text cannot contain U+0000. */
export const FILTER = { type: 'string', maxLength: 400, pattern: '^[^\\0]*$' } as const

type Properties = Readonly<Record<string, object>>

export function object<const R extends Properties, const O extends Properties = Record<never, never>>(
  required: R,
  optional?: O,
) {
  const names = Object.keys(required) as (keyof R)[]
  return { type: 'object', required: names, properties: { ...required, ...optional } as R & O } as const
}

export function list<const S extends object>(items: S, maxItems: number) {
  return { type: 'array', items, maxItems } as const
}
