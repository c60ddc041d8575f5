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
 * deep. Where a number may need it, all are kept as text, which takes up to fifty times as long: what clients send is read by
 * `memberParser`.
 */
export function parseJson(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text)
}

/**
 * Parses JSON text in at most five times what JSON.parse takes, whatever the numbers in it look like: only the number at
 * `member` of a top-level object is kept as text. `member` is of ASCII letters. Throws SyntaxError.
 */
export function memberParser(member: string): (text: string) => unknown {
  const plain = numbersAt(member)
  const escaped = numbersAt(Array.from(member, spellings).join(''))
  return (text) => {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || typeof value[member] !== 'number') return value
    value[member] = new JsonNumber(sourceOf(member, text, text.includes('\\u') ? escaped : plain))
    return value
  }
}

/**
 * The text of the number at `member` of the object that `text` is. `candidates` finds every number at a member of that name,
 * on any level. Where there are several, each is replaced by its place among them, and the parser says which one counts.
 */
function sourceOf(member: string, text: string, candidates: RegExp): string {
  const sources: string[] = []
  let numbered = ''
  let end = 0
  // Not by matchAll, which takes twice as long.
  for (let found = candidates.exec(text); found !== null; found = candidates.exec(text)) {
    const source = found[1] ?? ''
    numbered += text.slice(end, candidates.lastIndex - source.length) + sources.length
    end = candidates.lastIndex
    sources.push(source)
  }
  const place = sources.length === 1 ? 0 : JSON.parse(numbered + text.slice(end))[member]
  return sources[place] ?? ''
}

/** Finds numbers by the name of their member, in text that JSON.parse has accepted: within a string, a quote has a backslash. */
function numbersAt(name: string): RegExp {
  return new RegExp(`"${name}"[ \\t\\r\\n]*:[ \\t\\r\\n]*(-?\\d[\\d.eE+-]*)`, 'g')
}

/** A letter, plain or escaped, as a pattern: `(?:c|\\u0063)`. */
function spellings(letter: string): string {
  const code = letter.charCodeAt(0).toString(16)
  return `(?:${letter}|\\\\u00${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A number out of `parseJson` or `memberParser` as JSON text of exactly its value; undefined for any other value. */
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
