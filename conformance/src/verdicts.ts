/** The ways in which a case ends other than well. */

import type { Exchange } from './http/transport.ts'
import type { Statement } from './statements.ts'

/** An answer that breaks a requirement. */
export class Violation extends Error {
  readonly statement: Statement
  readonly expected: string
  readonly came: string
  readonly exchange: Exchange
  /** What is at fault: two violations of one cause are one finding. Undefined: a cause of this case alone. */
  override readonly cause: string | undefined

  /** Both texts are short and about this exchange. Unless given, the cause is they, whatever numbers they hold. */
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

/** What breaks no statement and yet is hardly meant; the message says what was seen. */
export class Suspicious extends Error {}

/** The question could not be put; the message says why. */
export class NotRun extends Error {}

/** Likewise, but a later look at the list may show what is looked for. */
export class NotVisibleYet extends NotRun {}

/** Another case is about what went wrong here. */
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
