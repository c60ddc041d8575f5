/** HTML and XML around texts of others: `html` escapes what is put into it. */

/** Stands in a page as it is. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | false | undefined | readonly Part[]

/** Escapes texts, joins lists, and leaves out what is false or undefined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(toText)))
}

function toText(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part !== 'string') return part.map(toText).join('')
  return visible(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** JSON for a script; nothing in it ends the script. */
export function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/**
 * Makes one space of spaces and ends of lines, removes what would reorder the text around, and replaces what neither HTML
 * nor XML can contain with U+FFFD.
 */
export function visible(text: string): string {
  return text
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
}
