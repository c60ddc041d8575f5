/** The text of the OpenAPI document about identifiers, errors and limits (R5, R14-R17, O8). */
import { ERROR_STATUS } from './errors.ts'
import { PLANS } from './plans.ts'

const WHAT_TO_DO: Readonly<Record<keyof typeof ERROR_STATUS, string>> = {
  invalid_request: 'correct the problem that the message names',
  unauthorized: 'send a valid key',
  not_found: 'check the id or the path: the animal or the path does not exist',
  method_not_allowed: 'use a method that `Allow` names',
  request_timeout: 'send the request faster',
  payload_too_large: 'send a smaller body',
  uri_too_long: 'send a shorter address',
  unsupported_media_type: 'send `Content-Type: application/json`, without compression',
  rate_limited: 'wait; see below',
  headers_too_large: 'send fewer or shorter headers',
  internal_error: 'report it with its `X-Request-Id`; a GET may be repeated',
  not_implemented:
    'do not repeat it: `/store/orders` is not defined yet, or the server does not know the method or the transfer coding',
  unavailable: 'wait as long as `Retry-After` says; a GET may be repeated',
}

const errors = Object.entries(ERROR_STATUS).map(
  ([code, status]) => `- ${status} \`${code}\`: ${WHAT_TO_DO[code as keyof typeof ERROR_STATUS]}`,
)
const plans = Object.entries(PLANS).map(([name, quota]) => {
  const [perMinute, perDay] = [quota?.perMinute, quota?.perDay].map(figure)
  return `| ${name.charAt(0).toUpperCase()}${name.slice(1)} | ${perMinute} | ${perDay} |`
})

/** With commas. `toLocaleString` would load ICU's tables. */
function figure(value: number | undefined): string {
  return value === undefined ? 'as agreed' : String(value).replace(/\B(?=(?:\d{3}){1,5}$)/g, ',')
}

export const GUIDE = `## Identifiers

\`id\` and \`categoryId\` use all 64 bits, as JSON numbers. Many parsers read JSON numbers as floating point and round them above
2^53: \`JSON.parse\` in JavaScript, and therefore the clients that openapi-typescript, @hey-api/openapi-ts and orval generate, whose
\`number\` cannot hold every id. Read and send the digits as 64-bit integers, or as text.

## Errors

Every response from 400 up has the same body: \`code\` for programs, \`message\` for people, and the HTTP \`status\` again.

${errors.join('\n')}

## Limits

A key has a limit per minute and a limit per day. Both windows are fixed and start on the full minute and at midnight UTC.

| plan | per minute | per day |
|---|---:|---:|
${plans.join('\n')}

Every response describes the window that has fewer requests left, in \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and
\`X-RateLimit-Reset\`. A request over the limit gets a 429 and is not counted. After a 429, send nothing with this key for
\`Retry-After\` seconds, and longer after each further one: a key that keeps sending may be banned.`
