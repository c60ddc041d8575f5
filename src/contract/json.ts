/**
 * JSON in and out without losing a digit (R5, O20). Reading keeps a number as the text it was sent as wherever JavaScript's
 * own numbers could round it; writing puts an int64's digits into the text directly. A Pet is written here and nowhere else.
 */
import type { PetStatus } from './schemas.ts'

declare global {
  interface JSON {
    /** Newer than TypeScript's own declaration: the reviver is given each number's source text. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** A number of a JSON text, not yet rounded to anything. */
class JsonNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** A fraction, an exponent or more than 15 digits; a string that looks like one is taken for it, which costs only time. */
const MAY_BE_ROUNDED = /\d(?:[.eE]|\d{15})/

/**
 * Parses JSON text; `numberText` tells the numbers in it from other values. Throws SyntaxError, or RangeError when nested too
 * deep. Numbers are kept as text only where one may need it: that takes four times as long.
 */
export function parseJson(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text)
}

/** A number out of `parseJson` as JSON text of exactly its value; undefined for any other value. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return value instanceof JsonNumber ? value.source : undefined
}

function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined ? new JsonNumber(context.source) : value
}

/** A Pet as JSON text. `id` and `categoryId` may be given as the decimal text that a database returned. */
export function petJson(
  id: bigint | string,
  name: string,
  categoryId: bigint | string,
  status: PetStatus | undefined,
): string {
  const tail = status === undefined ? '}' : `,"status":"${status}"}`
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}`
}
