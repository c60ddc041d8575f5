/**
 * Names as the page shows them. A name may be 64 kB long, right-to-left, or without a letter, so it is cut and isolated
 * from the text around it.
 */

/** Characters of a name in a list; the style sheet cuts it further, by lines. */
const LISTED_LENGTH = 300
/** Characters of a name in a sentence. */
const SAID_LENGTH = 60

/** A name for a list; never empty. */
export function listedName(name: string) {
  return name.trim() === '' ? 'Without a name' : cut(name.trim(), LISTED_LENGTH)
}

/** A name for a sentence, in quotes, and isolated so that right-to-left text does not reorder the sentence. */
export function saidName(name: string) {
  return name.trim() === '' ? 'An animal without a name' : `“\u2068${cut(name.trim(), SAID_LENGTH)}\u2069”`
}

/** The first letter or digit, else the first character, else a question mark. */
export function initialOf(name: string) {
  const start = cut(name.trim(), LISTED_LENGTH)
  const letter = /[\p{L}\p{N}]\p{M}?/u.exec(start)?.[0] ?? /[^\s\p{C}\p{M}]/u.exec(start)?.[0]
  return letter?.toLocaleUpperCase() ?? '?'
}

function cut(text: string, length: number) {
  // Never between the two halves of a surrogate pair.
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}
