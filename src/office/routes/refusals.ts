/** The office's refusals, as sentences for people: thrown by routes and the guard, sent as an OfficeError. */
import type { Wait } from '../../domain/sign-in.ts'
import type { OfficeError } from '../office-data.ts'

export class OfficeRefusal extends Error {
  readonly status: number
  readonly code: OfficeError['code']
  readonly more: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: OfficeError['code'],
    message: string,
    more: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
    this.headers = headers
  }
}

export function invalid(message: string): OfficeRefusal {
  return new OfficeRefusal(400, 'invalid', message)
}

/** Names the wrong member of the body, so that the page marks its field. */
export function wrongMember(
  member: string,
  message: string,
  [status, code]: readonly [number, OfficeError['code']] = [400, 'invalid'],
): OfficeRefusal {
  return new OfficeRefusal(status, code, message, { problems: { [member]: message } })
}

export function notFound(message: string): OfficeRefusal {
  return new OfficeRefusal(404, 'not_found', message)
}

export function unauthenticated(): OfficeRefusal {
  return new OfficeRefusal(401, 'signed_out', 'You are signed out. Sign in again.')
}

export function overloaded(): OfficeRefusal {
  const message = 'The office is busy. Try again in a moment.'
  return new OfficeRefusal(503, 'unavailable', message, {}, { 'retry-after': '1' })
}

export function tooManyAttempts({ waitMs }: Wait): OfficeRefusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const message = `Too many attempts. Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`} and try again.`
  return new OfficeRefusal(429, 'wait', message, {}, { 'retry-after': String(seconds) })
}
