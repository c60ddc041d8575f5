/** Bodies of answers as JSON, of which no digit is lost on the way (R5). */
import { isUtf8 } from 'node:buffer'
import { numberText, parseJson } from '../contract/json.ts'
import { type Answer, type Exchange, header } from './transport.ts'
import { Violation } from './violation.ts'

/** The JSON of a body. Throws a Violation of R1 when there is none. */
export function jsonOf(exchange: Exchange): unknown {
  const json = tryJson(exchange.answer)
  if (json === undefined) throw new Violation('R1', exchange, 'a body of JSON text in UTF-8', 'a body that is none')
  return json.value
}

/** As `jsonOf`, for a body that may be anything. */
export function tryJson({ body }: Answer): { readonly value: unknown } | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return { value: parseJson(body.toString()) }
  } catch {
    return undefined
  }
}

export function isJsonType(answer: Answer): boolean {
  return /^application\/json\s*(?:;|$)/i.test(header(answer, 'Content-Type') ?? '')
}

/** The members of a JSON object; undefined for anything else. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && numberText(value) === undefined
  return isObject ? new Map(Object.entries(value)) : undefined
}

/** One member of an object in a body as text, for reports; empty when there is none. */
export function memberText(answer: Answer, name: string): string {
  const value = membersOf(tryJson(answer)?.value)?.get(name)
  return value === undefined ? '' : jsonText(value)
}

/** A JSON value as a report shows it: strings bare, numbers by their digits. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value))
}
