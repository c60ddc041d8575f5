/**
 * Makes text from elsewhere safe for a terminal: characters that move the cursor, or hide or reverse text, become
 * escapes.
 */

/**
 * A character that a terminal does not print as itself. Zero-width joiners are allowed: words and emoji are spelled
 * with them.
 */
export const UNPRINTABLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')

/** `text` with `\u{1b}` in place of an unprintable character. */
export function printable(text: string): string {
  return text.replace(EACH_UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** `text` of several lines, each of which is made printable. */
export function printableLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, n) => (n % 2 === 0 ? printable(part) : part))
    .join('')
}

/** JSON whose strings are printable. A parser reads the same values from it. */
export function printableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value))
}

/** The same for lines of JSON. */
export function printableJsonLines(text: string): string {
  return text.split('\n').map(escapeInJson).join('\n')
}

function escapeInJson(json: string): string {
  return json.replace(EACH_UNPRINTABLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
