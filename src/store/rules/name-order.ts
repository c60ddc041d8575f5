/**
 * The order of names: by their first characters as a search compares them, by code point, and the newest of one name
 * first. It is the same on every engine, whatever its locale.
 */
import { fold } from './fold.ts'

/** Characters of a name, and of the text it is compared as, that decide. */
export const KEY_CHARACTERS = 200

/** Where an animal stands in a list: newest first, or with a key in the order of names. */
export interface Place {
  readonly id: bigint
  readonly key?: string | undefined
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
