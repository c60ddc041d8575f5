/**
 * Orders in which an animal's place follows from a key of its name, and of one key the newest comes first. By name: the
 * key is the first characters of the name as a search compares it, by code point, so the order is the same on every
 * engine, whatever its locale. By match: see match-order.ts.
 */
import { fold } from './fold.ts'
import { matchKey } from './match-order.ts'

export type Order = 'name' | 'match'

/** Characters of a name, and of the text it is compared as, that decide. */
export const KEY_CHARACTERS = 200

/** Where an animal stands in a list: newest first, or with a key in another order. */
export interface Place {
  readonly id: bigint
  readonly key?: string | undefined
}

/** The keys of names in this order, of those that a search for the text finds. */
export function keysIn(order: Order, text: string): (name: string) => string {
  return order === 'name' ? keyOf : matchKey(text)
}

export function keyOf(name: string): string {
  return beginning(fold(beginning(name)))
}

/** Below zero if `a` stands before `b`. Places of one list all have keys, or none has. */
export function comparePlaces(a: Place, b: Place): number {
  return compareTexts(a.key ?? '', b.key ?? '') || (a.id > b.id ? -1 : a.id < b.id ? 1 : 0)
}

function beginning(text: string): string {
  return text.length <= KEY_CHARACTERS ? text : [...text.slice(0, 2 * KEY_CHARACTERS)].slice(0, KEY_CHARACTERS).join('')
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return at === a.length || at === b.length ? a.length - b.length : rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))
}

/** Surrogates stand for the characters beyond all others. */
function rank(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
