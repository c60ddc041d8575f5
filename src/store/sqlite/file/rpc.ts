/** Typed calls between threads, compiled against the same `Side` of targets with methods. */

type Method = (...args: readonly unknown[]) => unknown

export interface Call {
  readonly target: string
  readonly method: string
  readonly args: readonly unknown[]
}

export type ArgsOf<M> = M extends (...args: infer Args) => unknown ? Args : never
export type ResultOf<M> = M extends (...args: never) => infer Result ? Awaited<Result> : never

export function answerCall(side: object, { target, method, args }: Call): unknown {
  const targets = side as Readonly<Record<string, Readonly<Record<string, Method>>>>
  const methods = targets[target]
  if (typeof methods?.[method] !== 'function') throw new TypeError(`no thread answers ${target}.${method}`)
  return methods[method](...args)
}

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
