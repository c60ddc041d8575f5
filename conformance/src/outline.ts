/** An answer in outline, as reports show it, without the keys that it may repeat. */
import type { Answer } from './http/answer.ts'
import { CUT_KEY, KEY, LIMITED_KEY } from './http/request.ts'
import type { Secrets } from './http/transport.ts'
import type { Failure } from './reports/report.ts'

const SHOWN_BODY_CHARACTERS = 600
const SHOWN_HEADERS =
  /^(?:content-type|content-length|content-encoding|x-ratelimit-.*|retry-after|www-authenticate|allow|location|date|server)$/i

export function outline(answer: Answer, secrets: Secrets): NonNullable<Failure['answer']> {
  const body = redact(answer.body.toString(), secrets)
  return {
    statusLine: redact(answer.statusLine, secrets),
    headers: answer.headers
      .filter(([name]) => SHOWN_HEADERS.test(name))
      .map(([name, value]) => redact(`${name}: ${value}`, secrets)),
    body:
      body.length > SHOWN_BODY_CHARACTERS
        ? `${body.slice(0, SHOWN_BODY_CHARACTERS)}… (${body.length} characters in all)`
        : body,
  }
}

export function redact(text: string, { key, limitedKey }: Secrets): string {
  let safe = text.replaceAll(key, KEY)
  if (limitedKey !== undefined) safe = safe.replaceAll(limitedKey, LIMITED_KEY)
  // What is left of the key in an answer to the case that sends it cut short.
  return key.length > 1 ? safe.replaceAll(key.slice(0, -1), CUT_KEY) : safe
}
