/**
 * Keys in PostgreSQL. A key is cached for at most four seconds, counted from the start of its look-up, so that a
 * revocation on any node takes effect everywhere within the five seconds that O7 allows; on the node that revokes, at
 * once. Unknown keys are not cached, since they may be issued the next moment; a flood of them shares one look-up at a
 * time.
 */

import type { Eventual } from '../../common/eventual.ts'
import { isPlan } from '../../contract/plans.ts'
import type { Author } from '../author.ts'
import type { Ban, Key, KeyTerms } from '../rows.ts'
import { banOf } from '../rules/bans.ts'
import { bannedValues, editedValues, issuedValues, replacedValues } from '../rules/journal.ts'
import { Batches } from '../shared/batches.ts'
import type { FoundKeys, KeyQuery, KeySearch, KeyStore, StoredKey, UnbanOutcome } from '../store.ts'
import type { Database } from './connection/database.ts'
import type { Query, Row } from './connection/query.ts'
import { type Fold, foldQuickly, makeFold } from './fold.ts'
import { enter } from './journal.ts'

const KEPT_MS = 4_000
/** Of the 2 s of a request, the part that finding its key may take. */
const LOOK_UP_MS = 600

const COLUMNS =
  'id, lineage, plan, per_minute, per_day, label, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms, ban, lifted_until_ms'

interface Found {
  readonly key: Key
  readonly untilMs: number
}

export class PostgresKeys implements KeyStore {
  readonly #database: Database
  /** In the order of `untilMs`, so expired entries come first. */
  readonly #found = new Map<string, Found>()
  readonly #lookups: Batches<string, Key | undefined>
  #fold: Promise<Fold> | undefined
  /** Grows with each change made here, so that a look-up that was in flight during the change is not cached. */
  #changes = 0

  constructor(database: Database) {
    this.#database = database
    const limits = { clock: database.clock, inFlight: 1, maxItems: 1_000 }
    this.#lookups = new Batches((hashes) => this.#lookUp(hashes), limits)
  }

  find(hash: string): Eventual<Key | undefined> {
    const found = this.#found.get(hash)
    if (found !== undefined && found.untilMs > this.#database.clock.monotonic()) return found.key
    return this.#lookups.submit(hash)
  }

  async #lookUp(hashes: readonly string[]): Promise<readonly (Key | undefined)[]> {
    const untilMs = this.#database.clock.monotonic() + KEPT_MS
    const changes = this.#changes
    const sql = `SELECT ${COLUMNS}, hash FROM keys WHERE hash = ANY($1)`
    const rows = await this.#database.query(sql, [[...new Set(hashes)]], LOOK_UP_MS)
    const keys = new Map(rows.map((row) => [row.at(-1), toKey(row)]))
    if (changes === this.#changes) this.#keep(keys, untilMs)
    return hashes.map((hash) => keys.get(hash))
  }

  #keep(keys: ReadonlyMap<string | null | undefined, Key>, untilMs: number): void {
    const nowMs = this.#database.clock.monotonic()
    for (const [hash, found] of this.#found) {
      if (found.untilMs > nowMs) break
      this.#found.delete(hash)
    }
    for (const [hash, key] of keys) {
      if (typeof hash !== 'string') continue
      this.#found.delete(hash)
      this.#found.set(hash, { key, untilMs })
    }
  }

  #forget(): void {
    this.#changes += 1
    this.#found.clear()
  }

  async add(key: Key, hash: string, by: Author): Promise<void> {
    await this.#database.transaction('BEGIN', async (query) => {
      await insertKeys(query, [{ key, hash }])
      await enter(query, by, 'issue key', [{ keyId: key.id, to: issuedValues(key) }])
    })
  }

  async get(id: string): Promise<Key | undefined> {
    const [key] = await this.#select('WHERE id = $1', [id])
    return key
  }

  list({ limit, after }: KeyQuery): Promise<readonly Key[]> {
    return after === undefined
      ? this.#select('ORDER BY created_at_ms, id LIMIT $1', [limit])
      : this.#select('WHERE (created_at_ms, id) > ($1, $2) ORDER BY created_at_ms, id LIMIT $3', [
          after.createdAtMs,
          after.id,
          limit,
        ])
  }

  async search({ text, order, offset, limit, among, except }: KeySearch): Promise<FoundKeys> {
    const values: unknown[] = []
    const conditions = ['true']
    if (text !== '') {
      this.#fold ??= makeFold(this.#database).catch((error: unknown) => {
        this.#fold = undefined
        throw error
      })
      const fold = await this.#fold
      const place = `${fold(`$${values.push(text)}::text`)} COLLATE "C"`
      conditions.push(`(strpos(id, ${place}) > 0 OR strpos(${foldQuickly(fold)('label')}, ${place}) > 0)`)
    }
    if (among !== undefined) conditions.push(`id = ANY($${values.push(among)}::text[])`)
    if (except !== undefined) conditions.push(`id <> ALL($${values.push(except)}::text[])`)
    const found = conditions.join(' AND ')
    const column = order === 'newest' ? 'created_at_ms DESC' : 'last_used_at_ms DESC NULLS LAST'
    const page = `ORDER BY ${column}, id DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`
    // They look at every key, of which there may be hundreds of thousands.
    const { patientQuery } = this.#database
    const [counted, rows] = await Promise.all([
      patientQuery(`SELECT count(*) FROM keys WHERE ${found}`, values),
      patientQuery(`SELECT ${COLUMNS} FROM keys WHERE ${found} ${page}`, [...values, limit, offset]),
    ])
    return { found: Number(counted[0]?.[0]), keys: rows.map(toKey) }
  }

  async newestOf(lineage: string): Promise<Key | undefined> {
    const [key] = await this.#select('WHERE lineage = $1 ORDER BY created_at_ms DESC, id DESC LIMIT 1', [lineage])
    return key
  }

  async count(): Promise<number> {
    const [row] = await this.#database.query('SELECT count(*) FROM keys')
    return Number(row?.[0])
  }

  async #select(clauses: string, values: readonly unknown[]): Promise<readonly Key[]> {
    return (await this.#database.query(`SELECT ${COLUMNS} FROM keys ${clauses}`, values)).map(toKey)
  }

  async revoke(id: string, by: Author): Promise<boolean> {
    const isThere = await this.#database.transaction('BEGIN', async (query) => {
      const revoked = await query(
        'UPDATE keys SET revoked_at_ms = $1::bigint WHERE id = $2 AND revoked_at_ms IS NULL RETURNING id',
        [by.atMs, id],
      )
      if (revoked.length === 0) return (await query('SELECT FROM keys WHERE id = $1', [id])).length > 0
      await enter(query, by, 'revoke key', [{ keyId: id }])
      return true
    })
    this.#forget()
    return isThere
  }

  async replace(id: string, expiresAtMs: number, successor: StoredKey, by: Author, newest?: string): Promise<boolean> {
    const { key } = successor
    const isDone = await this.#database.transaction('BEGIN', async (query) => {
      await query('SELECT FROM keys WHERE lineage = $1 ORDER BY id FOR UPDATE', [key.lineage])
      // A statement of its own sees what was waited for.
      const [current] = await query(
        `SELECT (SELECT id FROM keys WHERE lineage = $1 ORDER BY created_at_ms DESC, id DESC LIMIT 1) FROM keys
         WHERE id = $2 AND revoked_at_ms IS NULL AND coalesce(expires_at_ms > $3::bigint, true)
           AND (plan, per_minute, per_day, label) = ($4, $5::bigint, $6::bigint, $7)`,
        [key.lineage, id, by.atMs, ...cellsOf(key)],
      )
      if (current === undefined || (newest !== undefined && current[0] !== newest)) return false
      await query(
        'UPDATE keys SET expires_at_ms = least(coalesce(expires_at_ms, $1::bigint), $1::bigint) WHERE id = $2',
        [expiresAtMs, id],
      )
      await enter(query, by, 'rotate key', [{ keyId: id, to: replacedValues(key, expiresAtMs) }])
      await insertKeys(query, [successor])
      await query(
        'UPDATE keys SET (ban, lifted_until_ms) = (SELECT ban, lifted_until_ms FROM keys WHERE id = $1) WHERE id = $2',
        [id, key.id],
      )
      await enter(query, by, 'issue key', [{ keyId: key.id, to: issuedValues(key, id) }])
      return true
    })
    this.#forget()
    return isDone
  }

  /**
   * Nodes report uses of the same keys at the same time: rows are locked in one order, and a later use is never
   * overwritten.
   */
  async markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.query(
      `
      WITH used AS (
        SELECT keys.id, use.at_ms
        FROM keys JOIN unnest($1::text[], $2::bigint[]) AS use (id, at_ms) ON keys.id = use.id
        WHERE coalesce(last_used_at_ms, 0) < use.at_ms
        ORDER BY keys.id FOR UPDATE OF keys
      )
      UPDATE keys SET last_used_at_ms = used.at_ms FROM used WHERE keys.id = used.id`,
      [[...uses.keys()], [...uses.values()]],
    )
  }

  async edit(old: Key, terms: KeyTerms, by: Author): Promise<boolean> {
    const isDone = await this.#database.transaction('BEGIN', async (query) => {
      const edited = await query(
        `UPDATE keys SET plan = $1, per_minute = $2::bigint, per_day = $3::bigint, label = $4
         WHERE id = $5 AND (plan, per_minute, per_day, label) = ($6, $7::bigint, $8::bigint, $9)
           AND revoked_at_ms IS NULL RETURNING id`,
        [...cellsOf(terms), old.id, ...cellsOf(old)],
      )
      if (edited.length === 0) return false
      const values = editedValues(old, terms)
      if (values !== undefined) await enter(query, by, 'edit key', [{ keyId: old.id, ...values }])
      return true
    })
    this.#forget()
    return isDone
  }

  async noteBan(lineage: string, ban: Omit<Ban, 'count'>): Promise<void> {
    await this.#database.query(
      `
      WITH held AS (SELECT id FROM keys WHERE lineage = $2 ORDER BY id FOR UPDATE)
      UPDATE keys
      SET ban = jsonb_set($1::jsonb, '{count}', to_jsonb(coalesce((ban::jsonb ->> 'count')::bigint, 0) + 1))::text
      FROM held WHERE keys.id = held.id AND ban::jsonb ->> 'untilMs' IS DISTINCT FROM $1::jsonb ->> 'untilMs'`,
      [JSON.stringify(ban), lineage],
    )
  }

  async unban(id: string, by: Author): Promise<UnbanOutcome> {
    const outcome = await this.#database.transaction('BEGIN', async (query) => {
      await query('SELECT FROM keys WHERE lineage = (SELECT lineage FROM keys WHERE id = $1) ORDER BY id FOR UPDATE', [
        id,
      ])
      const [row] = await query(`SELECT ${COLUMNS} FROM keys WHERE id = $1`, [id])
      if (row === undefined) return 'no such key'
      const key = toKey(row)
      const ban = banOf(key, by.atMs)
      if (ban === undefined) return 'not banned'
      await query('UPDATE keys SET lifted_until_ms = $1::bigint WHERE lineage = $2', [ban.untilMs, key.lineage])
      await enter(query, by, 'unban key', [{ keyId: id, from: bannedValues(ban) }])
      return 'unbanned'
    })
    this.#forget()
    return outcome
  }
}

/** Every key with its hash, oldest first. */
export async function storedKeys(query: Query): Promise<readonly StoredKey[]> {
  const rows = await query(`SELECT ${COLUMNS}, hash FROM keys ORDER BY created_at_ms, id`)
  return rows.map((row) => ({ key: toKey(row), hash: row.at(-1) ?? '' }))
}

/** Adds keys. An existing key is left unchanged if `keepExisting`, and is an error otherwise. */
export async function insertKeys(
  query: Query,
  keys: readonly StoredKey[],
  options: { keepExisting: boolean } = { keepExisting: false },
): Promise<void> {
  await query(
    `
    INSERT INTO keys (${COLUMNS}, hash)
    SELECT * FROM unnest(
      $1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[],
      $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::text[]
    ) ${options.keepExisting ? 'ON CONFLICT (id) DO NOTHING' : ''}`,
    [
      keys.map(({ key }) => key.id),
      keys.map(({ key }) => key.lineage),
      keys.map(({ key }) => key.plan),
      keys.map(({ key }) => key.perMinute),
      keys.map(({ key }) => key.perDay),
      keys.map(({ key }) => key.label),
      keys.map(({ key }) => key.createdAtMs),
      keys.map(({ key }) => key.expiresAtMs ?? null),
      keys.map(({ key }) => key.revokedAtMs ?? null),
      keys.map(({ key }) => key.lastUsedAtMs ?? null),
      keys.map(({ key: { ban } }) => (ban === undefined ? null : JSON.stringify(ban))),
      keys.map(({ key }) => key.liftedUntilMs ?? null),
      keys.map(({ hash }) => hash),
    ],
  )
}

function cellsOf({ plan, perMinute, perDay, label }: KeyTerms) {
  return [plan, perMinute, perDay, label] as const
}

function toKey(row: Row): Key {
  const [id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs, ...more] =
    row
  const [ban, liftedUntilMs] = more
  if (typeof plan !== 'string' || !isPlan(plan)) {
    throw new Error(`key ${id} is on a plan that this version does not know: ${plan}`)
  }
  return {
    id: id ?? '',
    lineage: lineage ?? '',
    plan,
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    label: label ?? '',
    createdAtMs: Number(createdAtMs),
    expiresAtMs: typeof expiresAtMs === 'string' ? Number(expiresAtMs) : undefined,
    revokedAtMs: typeof revokedAtMs === 'string' ? Number(revokedAtMs) : undefined,
    lastUsedAtMs: typeof lastUsedAtMs === 'string' ? Number(lastUsedAtMs) : undefined,
    ...(typeof ban === 'string' && { ban: JSON.parse(ban) as Ban }),
    ...(typeof liftedUntilMs === 'string' && { liftedUntilMs: Number(liftedUntilMs) }),
  }
}
