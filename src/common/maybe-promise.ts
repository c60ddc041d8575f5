/**
 * A value, or a promise of one. A store that can answer synchronously does not cost a turn of the event loop; one that
 * cannot returns a promise. Callers treat both alike.
 */

export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: now if it is here, later if it is not. */
export function whenReady<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
