/**
 * JSON in and out without losing a digit (R5, O20). Reading keeps each number as the text it was sent as; writing puts
 * an int64's digits into the text directly. A Pet is written here and nowhere else.
 */
import type { PetStatus } from './schemas.ts'

declare global {
  interface JSON {
    /** Newer than TypeScript's own declaration: the reviver is given each number's source text. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/** A number of a JSON text, not yet rounded to anything. */
export class JsonNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Parses JSON text; every number in it comes out as a JsonNumber. Throws SyntaxError, or RangeError when nested too deep. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepSource)
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
