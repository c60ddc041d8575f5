/**
 * How many keys are banned or near the limit of their day, for the metrics: of those used today (UTC), and of these the
 * thousand used last. The counters are asked for some keys in a turn, and once a minute at most.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, DAY_MS, MINUTE_MS } from '../common/clock.ts'
import type { Access } from '../domain/access.ts'
import { NEAR } from '../store/near-limit.ts'
import type { KeyStore } from '../store/store.ts'

const LOOKED_AT = 1_000
/** Keys in one turn of the event loop: about a millisecond. */
const STEP = 100

interface Figures {
  readonly banned: number
  readonly nearLimit: number
}

interface Parts {
  readonly store: { readonly keys: Pick<KeyStore, 'search'> }
  readonly access: Pick<Access, 'lookAtKey'>
  readonly clock: Clock
}

/** Rejects with StoreUnavailable. */
export function keyFigures({ store, access, clock }: Parts): () => Promise<Figures> {
  let known: { readonly figures: Promise<Figures>; readonly untilMs: number } | undefined
  const count = async () => {
    const nowMs = clock.now()
    const figures = { banned: 0, nearLimit: 0 }
    for (let offset = 0; offset < LOOKED_AT; offset += STEP) {
      const { keys } = await store.keys.search({ text: '', order: 'used', offset, limit: STEP })
      const today = keys.filter(({ lastUsedAtMs = 0 }) => lastUsedAtMs >= nowMs - (nowMs % DAY_MS))
      const inForce = today.filter((key) => key.revokedAtMs === undefined && (key.expiresAtMs ?? Infinity) > nowMs)
      const used = await Promise.all(inForce.map(async (key) => ({ key, ...(await access.lookAtKey(key)) })))
      figures.banned += used.filter(({ banned }) => banned).length
      figures.nearLimit += used.filter(({ key, dayUsed }) => dayUsed >= NEAR * key.perDay).length
      if (today.length < STEP) break
      await nextTurn()
    }
    return figures
  }
  return () => {
    if (known === undefined || known.untilMs <= clock.monotonic()) {
      known = { figures: count(), untilMs: clock.monotonic() + MINUTE_MS }
      known.figures.catch(() => {
        known = undefined
      })
    }
    return known.figures
  }
}
