/**
 * Names as the page shows them. A name may be anything: 64 kB long, right to left, without a letter. So it is cut where
 * it is shown, and set apart from the text around it.
 */

/** Characters of a name in a list. The style sheet cuts further, by lines. */
const LISTED_LENGTH = 300
/** Characters of a name in a sentence. */
const SAID_LENGTH = 60

/** A name for a list: not empty. */
export function listedName(name: string) {
  return name.trim() === '' ? 'Without a name' : cut(name.trim(), LISTED_LENGTH)
}

/**
 * A name for a sentence, in quotes. Isolated, so that a name in Arabic, or with marks that turn the direction, does not
 * turn the sentence.
 */
export function saidName(name: string) {
  return name.trim() === '' ? 'An animal without a name' : `“\u2068${cut(name.trim(), SAID_LENGTH)}\u2069”`
}

/** The first letter or digit; without one, the first sign, such as a picture; without any, a question mark. */
export function initialOf(name: string) {
  const start = cut(name.trim(), LISTED_LENGTH)
  const letter = /[\p{L}\p{N}]\p{M}?/u.exec(start)?.[0] ?? /[^\s\p{C}\p{M}]/u.exec(start)?.[0]
  return letter?.toLocaleUpperCase() ?? '?'
}

function cut(text: string, length: number) {
  // Not through the middle of a character of two units.
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}
