/** JSON bodies without rounding (R5): every integer is a bigint. */
import { isUtf8 } from 'node:buffer'
import { fromJson, toJson } from '../../client/src/json.ts'
import { type Exchange, type HttpResponse, header } from './http/transport.ts'
import { Violation } from './verdicts.ts'

/** Throws a Violation of R1 if the body is not JSON. */
export function jsonOf(exchange: Exchange): unknown {
  const json = tryJson(exchange.answer)
  if (json === undefined) throw new Violation('R1', exchange, 'a body of JSON text in UTF-8', 'a body that is none')
  return json.value
}

export function tryJson({ body }: HttpResponse): { readonly value: unknown } | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return { value: fromJson(body.toString()) }
  } catch {
    return undefined
  }
}

export function isJsonType(answer: HttpResponse): boolean {
  return /^application\/json\s*(?:;|$)/i.test(header(answer, 'Content-Type') ?? '')
}

/** Undefined if the value is not a JSON object. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}

/** A member as text, for reports; empty if there is none. */
export function memberText(answer: HttpResponse, name: string): string {
  const value = membersOf(tryJson(answer)?.value)?.get(name)
  return value === undefined ? '' : jsonText(value)
}

export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}
