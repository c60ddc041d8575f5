/**
 * A request as a line for the shell (bash), to be run again as it stands: `curl`, and for bytes that no HTTP client
 * sends, a pipe into the bare connection. Keys appear as the variables KEY and LIMITED_KEY, never as themselves.
 */
import { isUtf8 } from 'node:buffer'
import { USER_AGENT } from '../statements.ts'
import { ACCEPT, PLACEHOLDERS, type Request } from './request.ts'

const PLACEHOLDER = PLACEHOLDERS.map((text) => text.replace(/[$(){}|?*+.\\[\]^]/g, '\\$&')).join('|')
const DOUBLE_QUOTABLE = new RegExp(`^(?:[\\w .,:;/?&=%@+-]|${PLACEHOLDER}){1,400}$`)
/** A placeholder, or a character so often in a row that the shell had better produce them itself. */
const SPECIAL = new RegExp(`${PLACEHOLDER}|([A-Za-z0-9])\\1{199,}`, 'g')
/** Linux takes 128 KiB in one argument of a program; what bash does by itself, such as printf, has no such limit. */
const LONGEST_ARGUMENT = 100_000
const NEEDS_ESCAPE = /[\p{Cc}\uFEFF'\\]/gu

export function curlLine(base: URL, request: Request): string {
  const isTls = base.protocol === 'https:'
  if ('raw' in request) {
    const address = `${base.hostname}:${base.port || (isTls ? 443 : 80)}`
    // Both end by themselves, also where the other side keeps the connection open.
    const client = isTls
      ? `openssl s_client -quiet -no_ign_eof -connect ${address}`
      : `curl -s -m 5 telnet://${address}`
    return `(printf %s ${quote(request.raw)}; sleep 2) | ${client}`
  }
  const { method, path, headers, body } = request
  const words = ['curl', method === 'HEAD' ? '-I' : '-i']
  if (method !== 'HEAD' && method !== (body === undefined ? 'GET' : 'POST')) words.push('-X', method)
  words.push(quote(base.href + path), '-A', quote(USER_AGENT), '-H', quote(`Accept: ${ACCEPT}`))
  for (const [name, value] of Object.entries(headers)) {
    words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (body !== undefined) {
    // Without a word from us curl would call the body a form.
    if (headers['Content-Type'] === undefined) words.push('-H', quote('Content-Type:'))
    if (body.length > LONGEST_ARGUMENT) return `printf %s ${quote(body)} | ${[...words, '--data-binary @-'].join(' ')}`
    words.push('--data-binary', quote(body))
  }
  return words.join(' ')
}

function quote(text: string | Buffer): string {
  if (Buffer.isBuffer(text) && !isUtf8(text)) return escaped(text.toString('latin1'), /[^ -&(-[\]-~]/g)
  const plain = text.toString()
  if (DOUBLE_QUOTABLE.test(plain)) return `"${plain}"`
  let quoted = ''
  let end = 0
  for (const match of plain.matchAll(SPECIAL)) {
    quoted += quotePiece(plain.slice(end, match.index))
    const [special, repeated] = match
    quoted +=
      repeated === undefined ? `"${special}"` : `"$(head -c ${special.length} /dev/zero | tr '\\0' ${repeated})"`
    end = match.index + special.length
  }
  return quoted + quotePiece(plain.slice(end)) || "''"
}

function quotePiece(piece: string): string {
  if (piece === '') return ''
  return /[\p{Cc}\uFEFF']/u.test(piece) ? escaped(piece, NEEDS_ESCAPE) : `'${piece}'`
}

/** Quotes in the form that knows escapes; a character that `pattern` finds is written as its code. */
function escaped(text: string, pattern: RegExp): string {
  return `$'${text.replace(pattern, escapeCharacter)}'`
}

function escapeCharacter(character: string): string {
  if (character === '\r') return '\\r'
  if (character === '\n') return '\\n'
  if (character === "'" || character === '\\') return `\\${character}`
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
