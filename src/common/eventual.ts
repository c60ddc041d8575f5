/**
 * Values that are available now or later. A store that can answer at once does not cost a turn of the event loop; one
 * that cannot returns a promise. Callers treat both alike.
 */

export type Eventual<T> = T | Promise<T>

/** Calls `next` with the value: now if it is here, later if it is not. */
export function whenReady<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
