/** The failures of a store that callers distinguish. */
import { ExplainedError } from '../common/errors.ts'

/** The engine cannot answer at the moment. The message is a sentence that ends in `reason`. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable'
  /** Continues "The database cannot be used: ". Advice can follow as a second sentence. */
  readonly reason: string
  /** Retry-After for the client, in seconds (O23). */
  readonly retryAfterS: number = 1
  /** `unknown`: a change was sent, and no answer arrived. It might have been done. */
  readonly outcome: 'nothing was done' | 'unknown' = 'nothing was done'
  /** Whether the store has reported this problem, so that requests need not log it. */
  readonly isReported: boolean = false
  readonly ended: Promise<unknown> | undefined

  constructor(
    reason: string,
    { cause, ...its }: Partial<Omit<StoreUnavailable, keyof Error | 'reason'> & Pick<Error, 'cause'>> = {},
  ) {
    super(`The database cannot be used: ${reason}`, { cause })
    this.reason = reason
    Object.assign(this, its)
  }
}

/** A mistake in the address or the setup of a store. The message tells the operator what to do. */
export class StoreUnusable extends ExplainedError {
  override readonly name: string = 'StoreUnusable'
}

export class WrongAddress extends StoreUnusable {
  override readonly name = 'WrongAddress'
  override readonly exitCode = 2
}

export class SessionEnded extends Error {
  override readonly name = 'SessionEnded'

  constructor() {
    super('the session has ended; nothing was changed')
  }
}
