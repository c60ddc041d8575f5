/**
 * Typed calls between threads. Both are compiled against the same interface, a `Side`, which has targets with methods.
 */

type Method = (...args: readonly unknown[]) => unknown

/** A call as a message. */
export interface Call {
  readonly target: string
  readonly method: string
  readonly args: readonly unknown[]
}

export type ArgsOf<M> = M extends (...args: infer Args) => unknown ? Args : never
export type ResultOf<M> = M extends (...args: never) => infer Result ? Awaited<Result> : never

/** Calls the method. Throws if it does not exist. */
export function answerCall(side: object, { target, method, args }: Call): unknown {
  const targets = side as Readonly<Record<string, Readonly<Record<string, Method>>>>
  const methods = targets[target]
  if (typeof methods?.[method] !== 'function') throw new TypeError(`no thread answers ${target}.${method}`)
  return methods[method](...args)
}

/** A `Side` whose methods send their calls. */
export function remoteSide<Side>(
  targets: Readonly<Record<keyof Side & string, true>>,
  send: (call: Call) => Promise<unknown>,
): Side {
  const toMethods = (target: string) => {
    const methods: Record<string, Method> = {}
    return new Proxy(methods, {
      get(_, method: string) {
        if (method === 'then') return undefined // a promise that resolves to this object asks for it
        methods[method] ??= (...args) => send({ target, method, args })
        return methods[method]
      },
    })
  }
  return Object.fromEntries(Object.keys(targets).map((target) => [target, toMethods(target)])) as Side
}
