/**
 * How a route of the office is declared: its role, what it takes as JSON Schema, and the type of its response. What the
 * page may send and the server may answer follows from that. An int64 is text, since a JSON number may have lost digits.
 */
import { PetStatus } from '../../contract/schemas.ts'
import type { Role } from '../../rules/roles.ts'

export interface Route {
  /** The lowest role that may call it; `public` needs no session. */
  readonly role: Role | 'public'
  readonly query?: object
  /** Without it a write sends `{}`. */
  readonly body?: object
  /** A write that takes a file (multipart/form-data) instead of JSON. */
  readonly expectsUpload?: true
  /** Without it the response is empty. */
  readonly response?: Json<unknown>
}

export interface Json<T> {
  readonly type?: T
}

/** A record of the store as it is sent: an int64 as text, null for what is not there. */
export type Sent<T> = { readonly [Name in keyof T]: SentValue<T[Name]> }
type SentValue<V> = V extends bigint ? string : V extends undefined ? null : V

/** The type of a response, of which nothing is left at run time. */
export function json<T>(): Json<T> {
  return {}
}

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean' } as const
export const INT64 = { type: 'string', maxLength: 20 } as const
export const STATUS = { enum: [...PetStatus.enum, null] } as const
/** Longer than any label, name or id, in UTF-16 units. PostgreSQL's text cannot hold U+0000. */
export const FILTER = { type: 'string', maxLength: 400, pattern: '^[^\\0]*$' } as const

type Properties = Readonly<Record<string, object>>

/** An object that must have the first members, and may have the others. */
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
