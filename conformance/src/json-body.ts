/** The JSON of bodies, without losing digits (R5): an integer is a bigint, whichever way it is written. */
import { isUtf8 } from 'node:buffer'
import { fromJson, toJson } from '../../client/src/json.ts'
import { type Exchange, type HttpResponse, header } from './http/transport.ts'
import { Violation } from './verdicts.ts'

/** The JSON of a body. Throws a Violation of R1 when there is none. */
export function jsonOf(exchange: Exchange): unknown {
  const json = tryJson(exchange.answer)
  if (json === undefined) throw new Violation('R1', exchange, 'a body of JSON text in UTF-8', 'a body that is none')
  return json.value
}

/** As `jsonOf`, but undefined if the body is not JSON. */
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

/** The members of a JSON object; undefined for anything else. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}

/** One member of an object in a body as text, for reports; empty when there is none. */
export function memberText(answer: HttpResponse, name: string): string {
  const value = membersOf(tryJson(answer)?.value)?.get(name)
  return value === undefined ? '' : jsonText(value)
}

/** A JSON value as a report shows it: strings bare. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}
