/**
 * The search for keys in SQLite. Without a text it reads one page by an index. With one it reads all labels: in steps,
 * because the event loop that reads them also answers the clients.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Key } from '../../rows.ts'
import { fold } from '../../rules/fold.ts'
import type { FoundKeys, KeyOrder, KeySearch } from '../../store.ts'
import type { Database } from './database.ts'

/** About 3 ms. */
const LABELS_PER_STEP = 2_000

type LabelRow = [id: string, label: string, createdAtMs: bigint, lastUsedAtMs: bigint | null]

interface Match {
  readonly id: string
  readonly sortedBy: bigint
}

/** SQLite sorts NULL before every number, so in descending order it comes last. */
const COLUMN_OF = { newest: 'created_at_ms', used: 'last_used_at_ms' } as const satisfies Record<KeyOrder, string>

export class SqliteKeySearch {
  readonly #database: Database
  readonly #get: (id: string) => Key | undefined
  readonly #sql

  constructor(database: Database, get: (id: string) => Key | undefined) {
    this.#database = database
    this.#get = get
    const page = (order: KeyOrder) =>
      database.prepare(`SELECT id FROM keys WHERE id NOT IN (SELECT value FROM json_each(?))
        ORDER BY ${COLUMN_OF[order]} DESC, id DESC LIMIT ? OFFSET ?`)
    this.#sql = {
      newest: page('newest'),
      used: page('used'),
      others: database.prepare(
        'SELECT count(*) - (SELECT count(*) FROM keys WHERE id IN (SELECT value FROM json_each(?))) FROM keys',
      ),
      step: database.prepare(
        `SELECT id, label, created_at_ms, last_used_at_ms FROM keys WHERE id > ? ORDER BY id LIMIT ${LABELS_PER_STEP}`,
      ),
    }
  }

  async search(query: KeySearch): Promise<FoundKeys> {
    const { text, order, offset, limit, among, except = [] } = query
    if (text === '' && among === undefined) {
      const without = JSON.stringify(except)
      const rows = this.#database.read(() => this.#sql[order].all(without, limit, offset)) as unknown as [string][]
      const [found] = this.#database.read(() => this.#sql.others.get(without)) as unknown as [bigint]
      return { found: Number(found), keys: this.#keys(rows.map(([id]) => id)) }
    }
    const matches = among === undefined ? await this.#matches(query) : this.#matchesAmong(among, query)
    matches.sort((a, b) => (a.sortedBy === b.sortedBy ? (a.id < b.id ? 1 : -1) : a.sortedBy < b.sortedBy ? 1 : -1))
    return { found: matches.length, keys: this.#keys(matches.slice(offset, offset + limit).map(({ id }) => id)) }
  }

  async #matches({ text, order, except }: KeySearch): Promise<Match[]> {
    const wanted = fold(text)
    const without = new Set(except)
    const matches: Match[] = []
    for (let after = ''; ; await nextTurn()) {
      const rows = this.#database.read(() => this.#sql.step.all(after)) as unknown as LabelRow[]
      for (const [id, label, createdAtMs, lastUsedAtMs] of rows) {
        if (!hasText(id, label, wanted) || without.has(id)) continue
        matches.push({ id, sortedBy: order === 'newest' ? createdAtMs : (lastUsedAtMs ?? -1n) })
      }
      if (rows.length < LABELS_PER_STEP) return matches
      after = rows.at(-1)?.[0] ?? after
    }
  }

  #matchesAmong(ids: readonly string[], { text, order, except }: KeySearch): Match[] {
    const wanted = fold(text)
    return this.#keys(ids.filter((id) => !except?.includes(id)))
      .filter(({ id, label }) => hasText(id, label, wanted))
      .map(({ id, createdAtMs, lastUsedAtMs = -1 }) => ({
        id,
        sortedBy: BigInt(order === 'newest' ? createdAtMs : lastUsedAtMs),
      }))
  }

  #keys(ids: readonly string[]): Key[] {
    return ids.flatMap((id) => this.#get(id) ?? [])
  }
}

function hasText(id: string, label: string, folded: string): boolean {
  return id.includes(folded) || fold(label).includes(folded)
}
