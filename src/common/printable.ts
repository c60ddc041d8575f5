/** Text from elsewhere made fit for a terminal: what could move the cursor, hide or reverse text is written as an escape. */

/** One character that a terminal does not show as itself. Zero-width joiners are part of how words and emoji are spelled. */
export const UNPRINTABLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')

/** `text` with `\u{1b}` in place of an unprintable character. */
export function printable(text: string): string {
  return text.replace(EACH_UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** JSON whose strings are printable; what a parser reads from it is unchanged. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(EACH_UNPRINTABLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
