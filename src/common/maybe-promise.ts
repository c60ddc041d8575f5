/** A value or a promise: a store that can answer synchronously saves a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` immediately with a value, or when the promise resolves. */
export function whenReady<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
