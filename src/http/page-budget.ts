/**
 * Bounds the bytes of pages that clients have not read. Pages need no key, and all responses share their bytes, so they
 * have a budget apart from that of the interface (held.ts), and no address may use it up.
 */
import { addressSubject } from '../domain/access.ts'
import { Held } from './held.ts'

/** The part of the budget that one address may have. */
const SHARE = 1 / 4

export class PageBudget {
  readonly #all: Held
  readonly #share: number
  /** By address; an IPv6 network as one, as in the limits (O14). */
  readonly #shares = new Map<string, { readonly held: Held; takers: number }>()

  /** `limit` in bytes, over all connections. */
  constructor(limit: number) {
    this.#all = new Held(limit)
    this.#share = limit * SHARE
  }

  /** Undefined if there is no room; otherwise gives the room back, to be called once. */
  take(ip: string, bytes: number): (() => void) | undefined {
    const subject = addressSubject(ip)
    const share = this.#shares.get(subject) ?? { held: new Held(this.#share), takers: 0 }
    if (!share.held.take(bytes)) return undefined
    if (!this.#all.take(bytes)) {
      share.held.give(bytes)
      return undefined
    }
    share.takers += 1
    this.#shares.set(subject, share)
    return () => {
      share.held.give(bytes)
      this.#all.give(bytes)
      share.takers -= 1
      if (share.takers === 0) this.#shares.delete(subject)
    }
  }
}
