/** The failures of a store that callers tell apart. */
import { ExplainedError } from '../common/errors.ts'

/** The engine cannot answer at the moment. The message is a sentence for people, which ends in `reason`. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable'
  /** Sentence fragment after "The database cannot be used: ", in lower case; a sentence of advice may follow it. */
  readonly reason: string
  /** Retry-After for the client, in seconds (O23). */
  readonly retryAfterS: number = 1
  /** `unknown`: a change was sent to the engine, and no answer came. It may have been made, or may still be. */
  readonly outcome: 'nothing was done' | 'unknown' = 'nothing was done'
  /** Whether the store has reported this trouble (StoreEvents), so that it need not be logged for each request. */
  readonly isReported: boolean = false
  /** Settles when the engine has ended what nobody waits for any more; undefined where nothing goes on there. */
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

/** A mistake in the address or the set-up of a store: one sentence that tells the operator what to do. */
export class StoreUnusable extends ExplainedError {
  override readonly name: string = 'StoreUnusable'
}

/** The address itself is invalid, whatever answers there: wrong usage. */
export class WrongAddress extends StoreUnusable {
  override readonly name = 'WrongAddress'
  override readonly exitCode = 2
}

/** The session of the author (Author.session) has ended meanwhile; nothing was changed. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded'

  constructor() {
    super('the session has ended; nothing was changed')
  }
}
