/** Keys for operators; requests have a look-up per engine. Keys of a lineage are locked in the order of their ids. */
import { fold } from '../common/fold.ts'
import { bannedValues, editedValues, expiryValue, issuedValues, replacedValues } from '../rules/journal.ts'
import { type Ban, banOf, isInForce, type KeyTerms } from '../rules/keys.ts'
import type { Author } from './author.ts'
import { write } from './journal.ts'
import { KEY, type Key } from './rows.ts'
import { containing, type Database, foldedOf, lockRows, numberOf, Repository, type Sql, type Value } from './sql.ts'

export interface KeySearch {
  /** Part of the label or the id, ignoring case and accents. Empty for every key. */
  readonly text: string
  readonly order: 'newest' | 'used'
  readonly offset: number
  readonly limit: number
  readonly lineages?: readonly string[]
  readonly except?: readonly string[]
  readonly isNewestOnly?: boolean
}

export type KeySearchResult = Awaited<ReturnType<Keys['search']>>

const IS_NEWEST = `NOT EXISTS (SELECT 1 FROM keys AS later WHERE later.lineage = keys.lineage
  AND (later.created_at_ms, later.id) > (keys.created_at_ms, keys.id))`
const OF_LINEAGE = 'FROM keys WHERE lineage = $1 ORDER BY created_at_ms DESC, id DESC'

export class Keys extends Repository {
  readonly #onChange: () => void

  constructor(db: Database, onChange = () => {}) {
    super(db)
    this.#onChange = onChange
  }

  get(id: string): Promise<Key | undefined> {
    return KEY.first(this.db.read, 'FROM keys WHERE id = $1', [id])
  }

  list({
    limit,
    after,
  }: {
    limit: number
    after?: Pick<Key, 'createdAtMs' | 'id'> | undefined
  }): Promise<readonly Key[]> {
    if (after === undefined) return KEY.select(this.db.read, 'FROM keys ORDER BY created_at_ms, id LIMIT $1', [limit])
    const { createdAtMs, id } = after
    const behind = 'FROM keys WHERE (created_at_ms, id) > ($1, $2) ORDER BY created_at_ms, id LIMIT $3'
    return KEY.select(this.db.read, behind, [createdAtMs, id, limit])
  }

  async search(query: KeySearch) {
    const { order, offset, limit, lineages, except = [] } = query
    const values: Value[] = []
    const conditions = ['true']
    if (query.isNewestOnly) conditions.push(IS_NEWEST)
    if (query.text !== '') {
      const pattern = `$${values.push(containing(fold(query.text)))} ESCAPE '\\'`
      conditions.push(`(id LIKE ${pattern} OR ${this.db.dialect.folded('label')} LIKE ${pattern})`)
    }
    if (lineages !== undefined) conditions.push(this.db.dialect.isIn('lineage', values.push(lineages)))
    if (except.length > 0) conditions.push(`NOT (${this.db.dialect.isIn('id', values.push(except))})`)
    const source = `FROM keys WHERE ${conditions.join(' AND ')}`
    const column = order === 'newest' ? 'created_at_ms DESC' : 'last_used_at_ms DESC NULLS LAST'
    const page = `${source} ORDER BY ${column}, id DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`
    const keys = await KEY.select(this.db.read, page, [...values, limit, offset])
    return { found: await numberOf(this.db.read, `SELECT count(*) ${source}`, values), keys }
  }

  /** Newest first. Only the first has not been replaced. */
  ofLineage(lineage: string): Promise<readonly Key[]> {
    return KEY.select(this.db.read, OF_LINEAGE, [lineage])
  }

  /** The newest key of each lineage that is in force and banned. */
  async banned(nowMs: number): Promise<readonly Key[]> {
    const keys = await KEY.select(
      this.db.read,
      `FROM keys WHERE ban IS NOT NULL AND ${IS_NEWEST} ORDER BY created_at_ms, id`,
    )
    return keys.filter((key) => isInForce(key, nowMs) && banOf(key, nowMs) !== undefined)
  }

  count(): Promise<number> {
    return numberOf(this.db.read, 'SELECT count(*) FROM keys')
  }

  /** `hash` is the SHA-256 of the key in base64url. */
  async add(key: Key, hash: string, by: Author): Promise<void> {
    await this.db.write(async (sql) => {
      await insert(sql, key, hash)
      await write(this.db, sql, by, [{ act: 'issue key', keyId: key.id, to: issuedValues(key) }])
    })
  }

  /** False if the key does not exist. `replaced` is the replaced key, whose expiry is restored. */
  revoke(id: string, by: Author, replaced?: Key): Promise<boolean> {
    return this.#change(async (sql) => {
      if (replaced !== undefined) await lockRows(this.db, sql, 'keys', 'lineage = $1', [replaced.lineage])
      const revoke = 'UPDATE keys SET revoked_at_ms = $1 WHERE id = $2 AND revoked_at_ms IS NULL RETURNING 1'
      const rows = await sql(revoke, [by.atMs, id])
      if (rows.length === 0) return (await sql('SELECT 1 FROM keys WHERE id = $1', [id])).length > 0
      await write(this.db, sql, by, [{ act: 'revoke key', keyId: id }])
      if (replaced === undefined) return true
      const { id: keyId, expiresAtMs } = replaced
      await sql('UPDATE keys SET expires_at_ms = $1 WHERE id = $2', [expiresAtMs ?? null, keyId])
      await write(this.db, sql, by, [{ act: 'edit key', keyId, to: expiryValue(expiresAtMs) }])
      return true
    })
  }

  /**
   * Adds `successor` and lets the key `id` expire. False if the key is no longer in force, has other terms, or was
   * replaced by another key than `newest`.
   */
  replace(
    id: string,
    expiresAtMs: number,
    successor: { readonly key: Key; readonly hash: string },
    by: Author,
    newest?: string,
  ): Promise<boolean> {
    const { key } = successor
    return this.#change(async (sql) => {
      await lockRows(this.db, sql, 'keys', 'lineage = $1', [key.lineage])
      const current = await KEY.first(sql, 'FROM keys WHERE id = $1', [id])
      if (current === undefined || !isInForce(current, by.atMs) || !hasTerms(current, key)) return false
      const last = await KEY.first(sql, OF_LINEAGE, [key.lineage])
      if (newest !== undefined && last?.id !== newest) return false
      const expires = Math.min(current.expiresAtMs ?? expiresAtMs, expiresAtMs)
      await sql('UPDATE keys SET expires_at_ms = $1 WHERE id = $2', [expires, id])
      const { ban, liftedUntilMs } = current
      await insert(sql, { ...key, ban, liftedUntilMs }, successor.hash)
      await write(this.db, sql, by, [
        { act: 'rotate key', keyId: id, to: replacedValues(key, expiresAtMs) },
        { act: 'issue key', keyId: key.id, to: issuedValues(key, id) },
      ])
      return true
    })
  }

  /** Changes the terms of a key. False if the terms are no longer those of `old`, or the key is not in force. */
  edit(old: Key, terms: KeyTerms, by: Author): Promise<boolean> {
    return this.#change(async (sql) => {
      await lockRows(this.db, sql, 'keys', 'id = $1', [old.id])
      const current = await KEY.first(sql, 'FROM keys WHERE id = $1', [old.id])
      if (current === undefined || !isInForce(current, by.atMs) || !hasTerms(current, old)) return false
      const update = 'UPDATE keys SET plan = $1, per_minute = $2, per_day = $3, label = $4, folded = $5 WHERE id = $6'
      await sql(update, [...cellsOf(terms), foldedOf(terms.label), old.id])
      const values = editedValues(old, terms)
      if (values !== undefined) await write(this.db, sql, by, [{ act: 'edit key', keyId: old.id, ...values }])
      return true
    })
  }

  /** By id. A later use is never overwritten. */
  async markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...uses].map(([id, atMs]) => [id, BigInt(atMs)])
    const input = this.db.dialect.inputTable({ key_id: 'text', at_ms: 'bigint' }, rows)
    await this.db.write(async (sql) => {
      await lockRows(this.db, sql, 'keys', this.db.dialect.isIn('id', 1), [[...uses.keys()]])
      await sql(
        `UPDATE keys SET last_used_at_ms = at_ms FROM ${input.from}
         WHERE keys.id = input.key_id AND coalesce(last_used_at_ms, 0) < at_ms`,
        input.values,
      )
    })
  }

  /** Records a ban of the lineage, also in the journal. False if another node has already recorded it. */
  async noteBan({ id: keyId, lineage }: Pick<Key, 'id' | 'lineage'>, ban: Omit<Ban, 'count'>): Promise<boolean> {
    return this.db.write(async (sql) => {
      await lockRows(this.db, sql, 'keys', 'lineage = $1', [lineage])
      let isNew = false
      for (const { id, ban: before } of await KEY.select(sql, 'FROM keys WHERE lineage = $1', [lineage])) {
        if (before?.untilMs === ban.untilMs) continue
        const record: Ban = { ...ban, count: (before?.count ?? 0) + 1 }
        await sql('UPDATE keys SET ban = $1 WHERE id = $2', [JSON.stringify(record), id])
        isNew = true
      }
      const by = { who: 'service', atMs: ban.atMs }
      if (isNew) await write(this.db, sql, by, [{ act: 'ban key', keyId, to: bannedValues(ban) }])
      return isNew
    })
  }

  /** Marks the ban of the lineage as lifted. The next request clears it in the counters. */
  unban(id: string, by: Author): Promise<'unbanned' | 'not banned' | 'no such key'> {
    return this.#change(async (sql) => {
      const unlocked = await KEY.first(sql, 'FROM keys WHERE id = $1', [id])
      if (unlocked === undefined) return 'no such key'
      await lockRows(this.db, sql, 'keys', 'lineage = $1', [unlocked.lineage])
      const key = (await KEY.first(sql, 'FROM keys WHERE id = $1', [id])) ?? unlocked
      const ban = banOf(key, by.atMs)
      if (ban === undefined) return 'not banned'
      await sql('UPDATE keys SET lifted_until_ms = $1 WHERE lineage = $2', [ban.untilMs, key.lineage])
      await write(this.db, sql, by, [{ act: 'unban key', keyId: id, from: bannedValues(ban) }])
      return 'unbanned'
    })
  }

  async #change<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await this.db.write(work)
    } finally {
      this.#onChange()
    }
  }
}

function hasTerms(key: KeyTerms, terms: KeyTerms): boolean {
  return cellsOf(key).join('\n') === cellsOf(terms).join('\n')
}

function cellsOf({ plan, perMinute, perDay, label }: KeyTerms) {
  return [plan, perMinute, perDay, label] as const
}

async function insert(sql: Sql, key: Key, hash: string): Promise<void> {
  const cells = [...KEY.cells(key), hash, foldedOf(key.label)]
  await sql(`INSERT INTO keys (${KEY.columns}, hash, folded) VALUES (${cells.map((_, n) => `$${n + 1}`)})`, cells)
}
