/**
 * Parses JSON bodies without losing digits (R5). JSON.parse rounds integers beyond 2^53, and Node 20 cannot show their
 * source text. So each number is wrapped in an object before the text is parsed.
 */
import { isUtf8 } from 'node:buffer'
import { type HttpResponse, header } from './http/answer.ts'
import type { Exchange } from './http/transport.ts'
import { Violation } from './verdicts.ts'

/** A JSON number, kept as its source text. */
class JsonNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** A JSON string or number. Strings are matched so that digits inside them are skipped. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs
const WRAPPER = '\u0001number'

/** Parses JSON text; `numberText` reads the numbers in the result. Throws SyntaxError. */
function parseJson(text: string): unknown {
  const wrapped = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `{${JSON.stringify(WRAPPER)}:"${token}"}`,
  )
  return JSON.parse(wrapped, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, WRAPPER)
      ? new JsonNumber(String((value as Record<string, unknown>)[WRAPPER]))
      : value,
  )
}

/** The source text of a number from `parseJson`; undefined for any other value. */
export function numberText(value: unknown): string | undefined {
  return value instanceof JsonNumber ? value.source : undefined
}

/** The JSON of a body. Throws a Violation of R1 when there is none. */
export function jsonOf(exchange: Exchange): unknown {
  const json = tryJson(exchange.answer)
  if (json === undefined) throw new Violation('R1', exchange, 'a body of JSON text in UTF-8', 'a body that is none')
  return json.value
}

/** Several cases judge the same answer, but its body is parsed once. */
const read = new WeakMap<HttpResponse, { readonly value: unknown } | undefined>()

/** As `jsonOf`, but undefined if the body is not JSON. */
export function tryJson(answer: HttpResponse): { readonly value: unknown } | undefined {
  if (!read.has(answer)) read.set(answer, readJson(answer))
  return read.get(answer)
}

function readJson({ body }: HttpResponse): { readonly value: unknown } | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return { value: parseJson(body.toString()) }
  } catch {
    return undefined
  }
}

export function isJsonType(answer: HttpResponse): boolean {
  return /^application\/json\s*(?:;|$)/i.test(header(answer, 'Content-Type') ?? '')
}

/** The members of a JSON object; undefined for anything else. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && numberText(value) === undefined
  return isObject ? new Map(Object.entries(value)) : undefined
}

/** One member of an object in a body as text, for reports; empty when there is none. */
export function memberText(answer: HttpResponse, name: string): string {
  const value = membersOf(tryJson(answer)?.value)?.get(name)
  return value === undefined ? '' : jsonText(value)
}

/** A JSON value as a report shows it: strings bare, numbers by their digits. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value))
}
