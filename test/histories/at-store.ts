/** What an operator does, and all that can be seen, at a store of this process. */
import { Readable } from 'node:stream'
import { NO_MAPPING } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import type { Clock } from '../../src/common/clock.ts'
import { AlreadyRotated, issueKey, rotateKey } from '../../src/domain/keys.ts'
import type { Author } from '../../src/store/author.ts'
import type { Store } from '../../src/store/store.ts'
import type { Operator, Seen } from './place.ts'

const MOST = 1_000_000

interface OperatorOptions {
  readonly clock: Clock
  readonly bodyLimit: number
  readonly randomBytes: (size: number) => Buffer
}

export function authorAt(clock: Clock): Author {
  return { who: 'a history', atMs: clock.now() }
}

export function operatorAt(store: Store, { clock, bodyLimit, randomBytes }: OperatorOptions): Operator {
  const { records, keys, imports } = store
  const issuer = { store, clock, randomBytes, who: 'a history' }
  const isDone = async (change: Promise<{ readonly missing: readonly unknown[] }>) =>
    (await change).missing.length === 0
  return {
    change: (ids, changes) => {
      const all = changes as Parameters<typeof records.change>[1]
      return isDone(records.change(ids, all, authorAt(clock)))
    },
    remove: (ids) => isDone(records.remove(ids, authorAt(clock))),
    restore: (ids) => isDone(records.restore(ids, authorAt(clock))),
    issue: async (request) => {
      const { key, secret } = await issueKey(issuer, request)
      return { id: key.id, secret }
    },
    rotate: async (id, overlapMs, again) => {
      try {
        const { key, secret } = await rotateKey(issuer, id, { overlapMs, again })
        return { id: key.id, secret }
      } catch (error) {
        if (error instanceof RangeError || error instanceof AlreadyRotated) return undefined
        throw error
      }
    },
    revoke: async (id) => keys.revoke(id, authorAt(clock)),
    importCsv: async (csv, source, { skipInvalid, ...options }) => {
      const { withIds } = options
      const how = { rowLimit: bodyLimit, withIds, mapping: NO_MAPPING, skipInvalid }
      const reading = new AnimalsFile(Readable.from([Buffer.from(csv)]), how)
      try {
        return (await imports.add(reading.batches(), { by: authorAt(clock), source, ...options })).n
      } catch (error) {
        if (reading.badRows > 0) return undefined
        throw error
      }
    },
    undo: async (n) => imports.undo(n, authorAt(clock)),
  }
}

/** Animals as JSON text, of all or only of those behind this id. */
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
  }
}
