/** Sentences about answers, for the cases that report how an open point is answered. */

import { type Answer, header } from './http/answer.ts'
import type { Exchange } from './http/transport.ts'
import { jsonText, membersOf, tryJson } from './json-body.ts'

/** The status, and the code where the body is an Error: `400 (invalid_request)`. */
export function outcome({ answer }: Exchange): string {
  const code = errorCodeOf(answer)
  return `${answer.status}${code === undefined ? '' : ` (${code})`}`
}

export function errorCodeOf(answer: Answer): string | undefined {
  const code = answer.status >= 400 ? membersOf(tryJson(answer)?.value)?.get('code') : undefined
  return typeof code === 'string' ? code : undefined
}

/** The given headers as far as they are there: `; Allow: GET, POST`. */
export function withHeaders({ answer }: Exchange, ...names: readonly string[]): string {
  return names
    .map((name) => [name, header(answer, name)])
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `; ${name}: ${value}`)
    .join('')
}

/** What came of a creation whose validity is open. */
export function creationOutcome(exchange: Exchange): string {
  if (exchange.answer.status !== 201) return `refused, ${outcome(exchange)}`
  const members = membersOf(tryJson(exchange.answer)?.value)
  const shown = ['id', 'categoryId', 'status']
    .filter((name) => members?.has(name))
    .map((name) => `${name} ${jsonText(members?.get(name))}`)
  return ['accepted', ...shown].join(', ')
}
