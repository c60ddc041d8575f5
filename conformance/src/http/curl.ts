/**
 * A request as a bash command that sends it again: `curl`, or for bytes that no HTTP client sends, a pipe into a raw
 * connection. Keys appear as the variables KEY and LIMITED_KEY, never as themselves.
 */
import { USER_AGENT } from '../interface.ts'
import { ACCEPT, PLACEHOLDERS, type Request } from './request.ts'

const PLACEHOLDER = PLACEHOLDERS.map((text) => text.replace(/[$(){}|?*+.\\[\]^]/g, '\\$&')).join('|')
const DOUBLE_QUOTABLE = new RegExp(`^(?:[\\w .,:;/?&=%@+-]|${PLACEHOLDER}){1,400}$`)
/** A placeholder, or a long run of one character, which the shell generates to keep the command short. */
const SPECIAL = new RegExp(`(${PLACEHOLDER}|a{200,}|9{200,})`)
const REPEATED = /^(?:a{200,}|9{200,})$/
const ESCAPES: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', "'": "\\'", '\\': '\\\\' }
const NEEDS_ESCAPE = /[\p{Cc}\uFEFF'\\]/gu

export function curlLine(base: URL, request: Request): string {
  const isTls = base.protocol === 'https:'
  if ('raw' in request) {
    const address = `${base.hostname}:${base.port || (isTls ? 443 : 80)}`
    // Both commands end by themselves, even if the server keeps the connection open.
    const client = isTls
      ? `openssl s_client -quiet -no_ign_eof -connect ${address}`
      : `curl -s -m 5 telnet://${address}`
    return `(printf %s ${quote(request.raw)}; sleep 2) | ${client}`
  }
  const { method, path, headers, body } = request
  const words = ['curl', method === 'HEAD' ? '-I' : '-i']
  if (method !== 'HEAD' && method !== (body === undefined ? 'GET' : 'POST')) words.push('-X', method)
  words.push(quote(base.href + path), '-A', quote(USER_AGENT))
  for (const [name, value] of Object.entries({ Accept: ACCEPT, ...headers })) {
    words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (body !== undefined) {
    // By default, curl sends a body as a form (application/x-www-form-urlencoded).
    if (headers['Content-Type'] === undefined) words.push('-H', quote('Content-Type:'))
    words.push('--data-binary', quote(body.toString()))
  }
  return words.join(' ')
}

function quote(text: string): string {
  if (DOUBLE_QUOTABLE.test(text)) return `"${text}"`
  const parts = text.split(SPECIAL).map((part) => {
    if (PLACEHOLDERS.some((placeholder) => placeholder === part)) return `"${part}"`
    if (REPEATED.test(part)) return `"$(head -c ${part.length} /dev/zero | tr '\\0' ${part.slice(0, 1)})"`
    return part === '' ? '' : `$'${part.replace(NEEDS_ESCAPE, escaped)}'`
  })
  return parts.join('') || "''"
}

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
