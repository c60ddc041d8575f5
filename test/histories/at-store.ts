/** All that can be seen of a shelter, at a store of this process. */
import type { Store } from '../../src/store/store.ts'
import type { Seen } from './place.ts'

const MOST = 1_000_000

export async function animalsOf({ pets }: Store, after?: bigint): Promise<readonly string[]> {
  const animals: string[] = []
  for await (const rows of pets.export(after)) {
    for (const { id, name, categoryId, status } of rows) {
      const rest = status === undefined ? '' : `,"status":"${status}"`
      animals.push(`{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`)
    }
  }
  return animals
}

export async function seenIn(store: Store): Promise<Seen> {
  const journal = await store.records.journal({ limit: MOST })
  return {
    animals: await animalsOf(store),
    journal: journal.toReversed().map(({ atMs, act, petId: animal, keyId: key, from, to }) => {
      return { atMs, act, animal, key, from, to }
    }),
    keys: (await store.keys.list({ limit: MOST })).map(
      ({ id, plan, perMinute, perDay, label, revokedAtMs, ...key }) => {
        const times = { createdAtMs: key.createdAtMs, expiresAtMs: key.expiresAtMs, usedAtMs: key.lastUsedAtMs }
        return { id, plan, perMinute, perDay, label, isRevoked: revokedAtMs !== undefined, times }
      },
    ),
    imports: (await store.imports.list(MOST)).toReversed().map(({ n, undoneAtMs }) => {
      return { n: String(n), isUndone: undoneAtMs !== undefined }
    }),
  }
}
