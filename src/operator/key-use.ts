/** The keys used today (UTC) with their use of the limits, for the metrics, the dashboard and the list of keys. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, DAY_MS } from '../common/clock.ts'
import type { LimitState } from '../contract/limits.ts'
import type { Access } from '../domain/access.ts'
import type { Key } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export const MAX_KEYS_LOOKED_AT = 1_000
/** The number of keys per turn of the event loop, about a millisecond. */
const STEP = 100

export interface KeyUseParts {
  readonly store: { readonly keys: Pick<Store['keys'], 'search'> }
  readonly access: Pick<Access, 'peekKey'>
  readonly clock: Clock
}

export interface KeyInUse extends LimitState {
  readonly key: Key
}

/** Most recently used first. `text` filters as in a search. Rejects with StoreUnavailable. */
export async function keysUsedToday({ store, access, clock }: KeyUseParts, text = ''): Promise<readonly KeyInUse[]> {
  const nowMs = clock.now()
  const all: KeyInUse[] = []
  for (let offset = 0; offset < MAX_KEYS_LOOKED_AT; offset += STEP) {
    const { keys } = await store.keys.search({ text, order: 'used', offset, limit: STEP })
    const today = keys.filter(({ lastUsedAtMs = 0 }) => lastUsedAtMs >= nowMs - (nowMs % DAY_MS))
    all.push(...(await Promise.all(today.map(async (key) => ({ key, ...(await access.peekKey(key)) })))))
    if (today.length < STEP) break
    await nextTurn()
  }
  return all
}
