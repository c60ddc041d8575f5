/** Makes untrusted text safe for a terminal, where characters can move the cursor, or hide or reverse text. */

/** Zero-width joiners are allowed: words and emoji are spelled with them. */
export const UNPRINTABLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')

/** Escapes unprintable characters as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(EACH_UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

export function printableLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, n) => (n % 2 === 0 ? printable(part) : part))
    .join('')
}

/** Parses to the same values. */
export function printableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value))
}

export function printableJsonLines(text: string): string {
  return text.split('\n').map(escapeInJson).join('\n')
}

/** Escapes within strings, so that the parsed values are printable. */
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
