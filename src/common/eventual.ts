/**
 * Values that are here now or come later. What can answer at once need not cost a turn of the event loop, and what cannot
 * is a promise; callers treat both alike.
 */

export type Eventual<T> = T | Promise<T>

/** Calls `next` with the value: now if it is here, later if it is not. */
export function whenReady<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
