/**
 * Makes untrusted text safe for a terminal: characters that move the cursor, or hide or reverse text, are escaped.
 */

/**
 * A character that a terminal does not print as itself. Zero-width joiners are allowed: words and emoji are spelled
 * with them.
 */
export const UNPRINTABLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')

/** `text` with escapes such as `\u{1b}` instead of unprintable characters. */
export function printable(text: string): string {
  return text.replace(EACH_UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Makes each line of `text` printable. */
export function printableLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, n) => (n % 2 === 0 ? printable(part) : part))
    .join('')
}

/** JSON whose strings are printable. It parses to the same values. */
export function printableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value))
}

/** The same for lines of JSON. */
export function printableJsonLines(text: string): string {
  return text.split('\n').map(escapeInJson).join('\n')
}

/** JSON whose strings are printable after parsing. Its values differ from the original: it is for people. */
export function printableWhenParsed(json: string): string {
  const values: unknown = JSON.parse(json, (_name, value: unknown) =>
    typeof value === 'string' ? printableLines(value) : value,
  )
  return `${JSON.stringify(values)}\n`
}

function escapeInJson(json: string): string {
  return json.replace(EACH_UNPRINTABLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
