/** Errors as threads send them to each other. */
import { SessionEnded, StoreUnavailable, StoreUnusable } from '../../errors.ts'
import { failure } from './errors.ts'

/** An error as it is sent. Of a bug the message is its stack. */
export interface SerializedError {
  readonly kind: 'unavailable' | 'unusable' | 'session ended' | 'bug'
  readonly message: string
  /** In seconds, if it is unavailable. */
  readonly retryAfterS?: number
}

const RETRY_S = 1

export function serializeError(error: unknown): SerializedError {
  if (error instanceof SessionEnded) return { kind: 'session ended', message: error.message }
  const told = failure(error)
  if (told instanceof StoreUnavailable) {
    return { kind: 'unavailable', message: told.reason, retryAfterS: told.retryAfterS }
  }
  if (told instanceof StoreUnusable) return { kind: 'unusable', message: told.message }
  return { kind: 'bug', message: told instanceof Error ? (told.stack ?? told.message) : String(told) }
}

export function deserializeError({ kind, message, retryAfterS = RETRY_S }: SerializedError): Error {
  switch (kind) {
    case 'session ended':
      return new SessionEnded()
    case 'unusable':
      return new StoreUnusable(message)
    case 'unavailable':
      return new StoreUnavailable(message, { retryAfterS })
    case 'bug':
      return new Error(message)
  }
}
