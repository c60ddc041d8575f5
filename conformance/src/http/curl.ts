/** A request as a bash command that sends it again. Keys appear as the variables KEY and LIMITED_KEY. */
import { CUT_KEY, KEY, LIMITED_KEY, type Request } from './request.ts'

export function curlLine(base: URL, { method, path, headers, body }: Request): string {
  const words = ['curl', method === 'HEAD' ? '-I' : `-i -X ${method}`, quote(base.href + path)]
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(value ? `${name}: ${value}` : `${name};`))
  if (body !== undefined) words.push('--data-binary', quote(body))
  return words.join(' ')
}

const KEYS = new RegExp(`(${[CUT_KEY, LIMITED_KEY, KEY].map((key) => key.replace(/\W/g, '\\$&')).join('|')})`)

/** In double quotes, within which only the keys are expanded, and a long run of one character is generated. */
function quote(text: string): string {
  const escaped = text.split(KEYS).map((part, i) => (i % 2 === 1 ? part : part.replace(/[\\"$`]/g, '\\$&')))
  const run = (letters: string, letter: string) => `$(printf '${letter}%.0s' {1..${letters.length}})`
  return `"${escaped.join('').replace(/([a9])\1{199,}/g, run)}"`
}
