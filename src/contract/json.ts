/** JSON without loss of digits (R5, O20). Only this file writes a Pet. */
import type { PetStatus } from './schemas.ts'

declare global {
  interface JSON {
    /** Missing in TypeScript's declarations: the reviver receives the source text of each number. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

class JsonNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** A fraction, an exponent or more than 15 digits. It also matches such strings, which only costs time. */
const MAY_BE_ROUNDED = /\d(?:[.eE]|\d{15})/

/** Read its numbers with `numberText`: if one might be rounded, all are kept as text, up to fifty times slower. */
export function parseJson(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text)
}

/** Keeps only the number at `member` of the top-level object as text, in at most five times the time of JSON.parse. */
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

/** If several members have this name, each number is replaced by its index, and JSON.parse tells which one applies. */
function sourceOf(member: string, text: string, candidates: RegExp): string {
  const sources: string[] = []
  let numbered = ''
  let end = 0
  // matchAll would take twice as long.
  for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
    const source = match[1] ?? ''
    numbered += text.slice(end, candidates.lastIndex - source.length) + sources.length
    end = candidates.lastIndex
    sources.push(source)
  }
  const place = sources.length === 1 ? 0 : JSON.parse(numbered + text.slice(end))[member]
  return sources[place] ?? ''
}

/** The text must be valid JSON, in which a quote inside a string is escaped. */
function numbersAt(name: string): RegExp {
  return new RegExp(`"${name}"[ \\t\\r\\n]*:[ \\t\\r\\n]*(-?\\d[\\d.eE+-]*)`, 'g')
}

/** A pattern for a letter, plain or escaped: `(?:c|\\u0063)`. */
function spellings(letter: string): string {
  const code = letter.charCodeAt(0).toString(16)
  return `(?:${letter}|\\\\u00${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`
}

const SPACE = /[\t\n\r ]*/y
/** A part of a string. A longer one uses no more of the stack. */
const CHARACTERS = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}|(?:u[\dA-Fa-f]{0,3})?$)/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The offset at which invalid JSON breaks off: a token, or the end of the text. */
export function jsonBreaksAt(text: string): number {
  /** The closing brackets still expected, innermost last. */
  const open: string[] = []
  let state: 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'end' = 'value'
  let at = 0
  const has = (token: RegExp) => {
    token.lastIndex = at
    if (!token.test(text)) return false
    at = token.lastIndex
    return true
  }
  const hasString = () => {
    const start = at
    if (text[at] !== '"') return false
    for (at += 1; has(CHARACTERS); );
    if (text[at] === '"') {
      at += 1
      return true
    }
    if (at < text.length) at = start
    return false
  }
  for (;;) {
    if ((text[at] ?? '') <= ' ') has(SPACE)
    const next = text[at] ?? ''
    if ((state === 'end' || state.startsWith('first')) && next !== '' && next === open.at(-1)) {
      open.pop()
      state = 'end'
    } else if (state === 'end' && next === ',' && open.length > 0) {
      state = open.at(-1) === '}' ? 'name' : 'value'
    } else if (state === 'colon' && next === ':') {
      state = 'value'
    } else if (state.endsWith('name') && hasString()) {
      state = 'colon'
      continue
    } else if (state.endsWith('value') && (hasString() || has(SCALAR))) {
      state = 'end'
      continue
    } else if (state.endsWith('value') && (next === '{' || next === '[')) {
      open.push(next === '{' ? '}' : ']')
      state = next === '{' ? 'first name' : 'first value'
    } else return at
    at += 1
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A number from `parseJson` or `memberParser` as exact JSON text; undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return value instanceof JsonNumber ? value.source : undefined
}

function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined ? new JsonNumber(context.source) : value
}

/** `id` and `categoryId` can be the decimal text from a database. */
export function petJson(
  id: bigint | string,
  name: string,
  categoryId: bigint | string,
  status: PetStatus | undefined,
): string {
  const tail = status === undefined ? '}' : `,"status":"${status}"}`
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}`
}
