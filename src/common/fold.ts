/** Folds text for comparison. Names for signing in have a stricter form (domain/person-names.ts). */

/** Characters that Unicode does not decompose. */
const LETTERS = new Map([
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
])
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g')
const MARKS = /[\u0300-\u036f]/g
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
const APOSTROPHES = /[\u2018\u2019\u201a\u201b\u02bc\u02b9\u2032\u00b4`]/g
const QUOTES = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033]/g
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g
/** More marks than any language uses: normalising takes quadratic time. U+FF9E and U+FF9F decompose into marks. */
const STACKS = /[\p{M}\uff9e\uff9f]{31,}/gu
/** Most text, for which folding only lowers the case. */
const ASCII = /^[!-_a-~]*(?: [!-_a-~]+)*$/

export function isPlain(text: string): boolean {
  return ASCII.test(text)
}

/** Normalises text from outside in linear time, by removing stacks of marks. */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD' = 'NFC'): string {
  return text.replace(STACKS, '').normalize(form)
}

/** Folding twice changes nothing more. */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase()
  return normalized(text.replace(/\u00b4/g, "'").replace(UNSEEN, ''), 'NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(STACKS, '')
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(DASHES, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Also removes spaces, `_` and `-`, to compare headers, words and category names. */
export function foldWord(text: string): string {
  return fold(text).replace(/[ _-]+/g, '')
}
