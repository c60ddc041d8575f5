/** The errors that a case throws if it does not pass. */

import type { Exchange } from './http/transport.ts'
import type { Statement } from './interface.ts'

/** An answer that breaks a requirement. */
export class Violation extends Error {
  readonly statement: Statement
  readonly expected: string
  readonly came: string
  readonly exchange: Exchange
  /** Violations with the same cause are one finding. Undefined: this violation is a finding of its own. */
  override readonly cause: string | undefined

  /** Both texts are short and about this exchange. By default they are the cause, with numbers replaced. */
  constructor(
    statement: Statement,
    exchange: Exchange,
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

/** An answer that breaks no statement but is probably a mistake; the message says what was seen. */
export class Suspicious extends Error {}

/** The case could not be run; the message says why. */
export class NotRun extends Error {}

/** NotRun because this run, or the answer at an open point, left nothing to ask: that is not incomplete. */
export class Unasked extends NotRun {}

/** NotRun because a list does not show an animal yet, but may do so later. */
export class NotVisibleYet extends NotRun {}

/** Another case judges what went wrong here. */
export class RestsOn extends Error {
  readonly caseId: string
  constructor(caseId: string) {
    super(`not judged because of ${caseId}`)
    this.caseId = caseId
  }
}

/** The run ends early; the message says why. What is left is not run. */
export class RunOver extends Error {}

/** The run could not begin; the message says why, and what to do. */
export class CannotStart extends Error {}

/** CannotStart because the address cannot be one of the interface. */
export class NoBaseUrl extends CannotStart {}
