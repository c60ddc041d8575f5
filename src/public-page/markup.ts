/** HTML and XML around untrusted texts: `html` escapes them, and inserts Markup as it is. */

export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | false | undefined | readonly Part[]

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

/** Removes characters that reorder text, and replaces what HTML and XML cannot contain with U+FFFD. */
export function visible(text: string): string {
  return text
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
}
