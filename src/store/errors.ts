/** The failures of a store that callers tell apart. */
import { ExplainedError } from '../common/errors.ts'

/** The engine cannot answer at the moment. The message is a sentence for people, which ends in `reason`. */
export class StoreUnavailable extends ExplainedError {
  /** Sentence fragment after "The database cannot be used: ", in lower case; a sentence of advice may follow it. */
  readonly reason: string
  /** Retry-After for the client, in seconds (O23). */
  readonly retryAfterS: number
  /** `unknown`: a change was sent to the engine, and no answer came. It may have been made, or may still be. */
  readonly outcome: 'nothing was done' | 'unknown'
  /**
   * Whether the store has already reported this trouble (StoreEvents), so that it need not be logged for each request.
   */
  readonly isReported: boolean
  /** Settles when the engine has ended what nobody waits for any more; undefined where nothing goes on there. */
  readonly ended: Promise<unknown> | undefined

  constructor(
    reason: string,
    {
      cause,
      retryAfterS = 1,
      outcome = 'nothing was done',
      isReported = false,
      ended,
    }: Partial<Pick<StoreUnavailable, 'cause' | 'retryAfterS' | 'outcome' | 'isReported' | 'ended'>> = {},
  ) {
    super(`The database cannot be used: ${reason}`, { cause })
    this.name = 'StoreUnavailable'
    this.reason = reason
    this.retryAfterS = retryAfterS
    this.outcome = outcome
    this.isReported = isReported
    this.ended = ended
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
