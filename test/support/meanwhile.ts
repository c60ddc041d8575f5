/** A change by someone else, between a look at the store and the change that rests on it. */

/** `part` of a store, in which `meanwhile` happens before each call of `method`. */
export function withMeanwhile<Part extends object>(part: Part, method: keyof Part, meanwhile: () => unknown): Part {
  return new Proxy(part, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      if (typeof found !== 'function') return found
      if (name !== method) return found.bind(target)
      return async (...args: unknown[]) => {
        await meanwhile()
        return found.apply(target, args)
      }
    },
  })
}
