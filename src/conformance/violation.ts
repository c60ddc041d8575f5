/** How a case fails: with the statement that was broken, and the exchange that broke it. */
import type { Statement } from './statements.ts'
import type { Exchange } from './transport.ts'

/** An answer that breaks a requirement. */
export class Violation extends Error {
  readonly statement: Statement
  readonly expected: string
  readonly came: string
  readonly exchange: Exchange

  /** `expected` and `came` are short and about this one exchange; the report adds the statement and the answer itself. */
  constructor(statement: Statement, exchange: Exchange, expected: string, came: string) {
    super(`${statement}: expected ${expected}; came ${came}`)
    this.statement = statement
    this.exchange = exchange
    this.expected = expected
    this.came = came
  }
}
