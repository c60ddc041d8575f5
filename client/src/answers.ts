/** Reads responses. A body that does not match the interface is a TypeError. */
import { fromJson, isInt64 } from './json.ts'
import type { Members } from './rules.ts'
import type { ErrorBody } from './types.ts'

/** Throws a TypeError that says what is wrong, such as `[3].id is not an int64`. */
export type BodyReader<T> = (body: unknown) => T

/** `at` is the place of the record in the body. */
export function readOne<T>(members: Members, at = ''): BodyReader<T> {
  return (record) => {
    if (!(record instanceof Object) || Array.isArray(record)) {
      throw new TypeError(`${at.slice(0, -1) || 'it'} is not a JSON object`)
    }
    for (const [key, kind] of Object.entries(members)) {
      const name = key.replace('?', '')
      const value: unknown = record[name as keyof typeof record]
      if (name !== key && value === undefined) continue
      if (kind === 'int64' && !isInt64(value)) throw new TypeError(`${at}${name} is not an int64`)
      if (kind === 'string' && typeof value !== kind) throw new TypeError(`${at}${name} is not a string`)
      if (typeof kind === 'object' && !kind.includes(value as string)) {
        throw new TypeError(`${at}${name} is none of ${kind.join(', ')}`)
      }
    }
    return record as T
  }
}

export function readList<T>(members: Members): BodyReader<T[]> {
  return (body) => {
    if (!Array.isArray(body)) throw new TypeError('it is not a JSON array')
    return body.map((each, index) => readOne<T>(members, `[${index}].`)(each))
  }
}

export function readError(body: unknown, status: number): Pick<ErrorBody, 'code' | 'message'> {
  if (status < 400) throw new TypeError('no operation has this status')
  type Unread = Pick<ErrorBody, 'code' | 'message'> & { readonly status?: unknown }
  const error = readOne<Unread>({ code: 'string', message: 'string' })(body)
  if (error.status !== BigInt(status)) throw new TypeError(`status is not ${status}`)
  return error
}

export function readJson(text: string): unknown {
  try {
    return fromJson(text)
  } catch {
    throw new TypeError(text === '' ? 'it is empty' : 'it is not JSON')
  }
}

/** The query of the next page, `?` included, if a `Link` header (RFC 8288) names one. */
export function nextQuery(link: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>((?:[^",]|"[^"]*")*)/g)) {
    if (/;\s*rel\s*=\s*(?:next\b|"(?:[^"]* )?next[ "])/i.test(parameters)) return /\?[^#]+/.exec(target)?.[0]
  }
  return undefined
}
