/** What a case throws if it does not pass, and why a run ends early or cannot start. */
import type { Request } from './http/request.ts'
import type { HttpResponse } from './http/transport.ts'
import type { Requirement } from './interface.ts'

export class Violation extends Error {
  readonly statement: Requirement
  readonly expected: string
  readonly came: string
  readonly exchange: { readonly request: Request; readonly answer?: HttpResponse }
  /** Violations with the same cause are one finding. Without a cause, each is its own. */
  override readonly cause: string | undefined

  /** By default the cause is both texts, with numbers replaced. */
  constructor(
    statement: Requirement,
    exchange: Violation['exchange'],
    expected: string,
    came: string,
    cause: string | null = `${expected}|${came}`.replace(/\d+/g, '#'),
  ) {
    super(`${statement}: expected ${expected}; came ${came}`)
    this.statement = statement
    this.exchange = exchange
    this.expected = expected
    this.came = came
    this.cause = cause ?? undefined
  }
}

export class NoAnswer extends Violation {
  constructor(request: Request, cause: unknown) {
    const why = cause instanceof Error && cause.message ? cause.message : cause
    super('R1', { request }, 'a response', `no response: ${why}`)
  }
}

export class NotRun extends Error {}

/** The quota does not reset soon. */
export class QuotaExhausted extends NotRun {}

/** This run, or the response at an open point, left nothing to ask. This is not `incomplete`. */
export class Unasked extends NotRun {}

/** Another case judges this fault. */
export class RestsOn extends NotRun {
  readonly caseId: string
  constructor(caseId: string) {
    super(`not judged because of ${caseId}`)
    this.caseId = caseId
  }
}

export class RunOver extends NotRun {}

/** The message says why, and what to do. */
export class CannotStart extends Error {}

export class NoBaseUrl extends CannotStart {}
