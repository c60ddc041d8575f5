/** What a case throws if it does not pass, and why a run ends early or cannot begin. */
import type { Request } from './http/request.ts'
import type { HttpResponse } from './http/transport.ts'
import type { Statement } from './interface.ts'

/** An answer that breaks a requirement. */
export class Violation extends Error {
  readonly statement: Statement
  readonly expected: string
  readonly came: string
  readonly exchange: { readonly request: Request; readonly answer?: HttpResponse }
  /** Violations with the same cause are one finding. Undefined: this violation is a finding of its own. */
  override readonly cause: string | undefined

  /** Both texts are short and about this exchange. By default they are the cause, with numbers replaced. */
  constructor(
    statement: Statement,
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

/** No answer came; the message says why, in a few words. */
export class NoAnswer extends Violation {
  constructor(request: Request, cause: unknown) {
    super(
      'R1',
      { request },
      'an answer',
      `no answer: ${cause instanceof Error && cause.message ? cause.message : cause}`,
    )
  }
}

/** The case could not be run; the message says why. */
export class NotRun extends Error {}

/** NotRun because the quota is used up for long; the message says until when. */
export class QuotaExhausted extends NotRun {}

/** NotRun because this run, or the answer at an open point, left nothing to ask: that is not incomplete. */
export class Unasked extends NotRun {}

/** NotRun because another case judges what went wrong here. */
export class RestsOn extends NotRun {
  readonly caseId: string
  constructor(caseId: string) {
    super(`not judged because of ${caseId}`)
    this.caseId = caseId
  }
}

/** NotRun because the run ends early; the message says why. */
export class RunOver extends NotRun {}

/** The run could not begin; the message says why, and what to do. */
export class CannotStart extends Error {}

/** CannotStart because the address cannot be one of the interface. */
export class NoBaseUrl extends CannotStart {}
