/**
 * The operator's side of the animals in PostgreSQL: each call is one transaction, including its journal entries. Rows
 * are locked in the order of their ids, so two people who change the same animals cannot deadlock.
 */

import { DAY_MS } from '../../common/clock.ts'
import { isPetStatus, type NewPet } from '../../contract/schemas.ts'
import type {
  Added,
  Author,
  ChangeOutcome,
  FindQuery,
  FoundPets,
  JournalEntry,
  JournalQuery,
  NamedPet,
  NamesQuery,
  PetChanges,
  PetRecord,
  PetRecords,
  Reach,
  Tally,
  TallyQuery,
  Target,
} from '../records.ts'
import { BRIEF_NAME, FORMS_KEPT, LONG_VALUES_BYTES, RESTORABLE_DAYS } from '../rules/bounds.ts'
import { addedValues, exportedValues, JOURNAL_ACTS, labelValues } from '../rules/journal.ts'
import { difference, sortTargets, versionsOf } from '../shared/changes.ts'
import type { Database } from './connection/database.ts'
import type { Query, Row } from './connection/query.ts'
import { type Entry, enter } from './journal.ts'
import { PostgresSearch } from './search.ts'

const REST = 'category_id, status, (SELECT max(n) FROM journal WHERE pet_id = id)'
const LIVE = `SELECT id, name, ${REST}, NULL FROM pets`
/** Only the beginning of the name. */
const BRIEFLY = `left(name, ${BRIEF_NAME + 1})`
const LIVE_BRIEF = `SELECT id, ${BRIEFLY}, ${REST}, NULL FROM pets`
const REMOVED = `SELECT id, name, ${REST}, removed_at_ms FROM removed_pets`
const REMOVED_BRIEF = `SELECT id, ${BRIEFLY}, ${REST}, removed_at_ms FROM removed_pets`
const ONE = `${LIVE} WHERE id = $1::bigint UNION ALL ${REMOVED} WHERE id = $1::bigint`

const VALUES = ['from_values', 'to_values'] as const
/** Values with a name are long only because of it. */
const briefly = (values: string) => `
  CASE WHEN octet_length(${values}) > ${LONG_VALUES_BYTES} AND ${values}::jsonb ? 'name' THEN jsonb_set(
    ${values}::jsonb, '{name}', to_jsonb(left(${values}::jsonb ->> 'name', ${BRIEF_NAME + 1})))::text
  ELSE ${values} END`

export class PostgresRecords implements PetRecords {
  readonly #database: Database
  readonly #search: PostgresSearch

  constructor(database: Database) {
    this.#database = database
    this.#search = new PostgresSearch(database)
  }

  async get(id: bigint): Promise<PetRecord | undefined> {
    const [row] = await this.#database.query(ONE, [id])
    return row === undefined ? undefined : toRecord(row)
  }

  /** Of two requests with one token, the second waits for the first and finds its animal. */
  add(pet: NewPet, by: Author, once: string): Promise<Added> {
    return this.#database.transaction('BEGIN', async (query): Promise<Added> => {
      const oldest = 'SELECT at_ms FROM additions ORDER BY at_ms DESC LIMIT 1 OFFSET $1'
      await query(`DELETE FROM additions WHERE at_ms < (${oldest})`, [FORMS_KEPT - 1])
      const [token] = await query(
        `INSERT INTO additions VALUES ($1, nextval('pet_ids'), $2::bigint) ON CONFLICT DO NOTHING RETURNING pet_id`,
        [once, by.atMs],
      )
      if (token !== undefined) {
        await query('INSERT INTO pets (id, name, category_id, status) VALUES ($1::bigint, $2, $3::bigint, $4)', [
          ...[token[0], pet.name, pet.categoryId, pet.status ?? null],
        ])
        await enter(query, by, 'add', [{ petId: token[0] ?? '', to: addedValues(pet) }])
      }
      const [known] = await query('SELECT pet_id FROM additions WHERE once = $1', [once])
      const [row] = await query(ONE, [known?.[0]])
      return { pet: row && toRecord(row), isNew: token !== undefined }
    })
  }

  async authors(act: 'add' | 'remove', ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Author>> {
    const rows = await this.#database.query(
      `SELECT DISTINCT ON (pet_id) pet_id, at_ms, who FROM journal
       WHERE pet_id = ANY($1::bigint[]) AND act = $2 ORDER BY pet_id, n DESC`,
      [ids, act],
    )
    return new Map(rows.map(([id, atMs, who]) => [BigInt(id ?? ''), { atMs: Number(atMs), who: who ?? '' }]))
  }

  change(
    targets: readonly Target[],
    changes: PetChanges,
    by: Author,
    reach: Reach = 'all or none',
  ): Promise<ChangeOutcome> {
    const one = reach === 'all that can be' && changes.name === undefined ? LIVE_BRIEF : LIVE
    return this.#each(targets, [one, one], reach, async (pets, query) => {
      const entries = pets.flatMap((pet): Entry[] => {
        const values = difference(pet, changes)
        return values === undefined ? [] : [{ petId: pet.id, ...values }]
      })
      await query(
        `UPDATE pets SET name = coalesce($2, name), category_id = coalesce($3::bigint, category_id),
           status = CASE WHEN $4 THEN $5 ELSE status END
         WHERE id = ANY($1::bigint[])`,
        [
          entries.map(({ petId }) => petId),
          changes.name ?? null,
          changes.categoryId ?? null,
          changes.status !== undefined,
          changes.status ?? null,
        ],
      )
      await enter(query, by, 'edit', entries)
      return entries.length
    })
  }

  remove(targets: readonly Target[], by: Author): Promise<ChangeOutcome> {
    return this.#each(targets, [LIVE, REMOVED], 'all or none', async (pets, query) => {
      const gone = pets.map(({ id }) => id)
      await query(
        `WITH gone AS (DELETE FROM pets WHERE id = ANY($1::bigint[]) RETURNING id, name, category_id, status)
         INSERT INTO removed_pets SELECT id, name, category_id, status, $2::bigint FROM gone`,
        [gone, by.atMs],
      )
      await enter(
        query,
        by,
        'remove',
        gone.map((petId) => ({ petId })),
      )
      return gone.length
    })
  }

  restore(ids: readonly bigint[], by: Author): Promise<ChangeOutcome> {
    return this.#each(ids, [REMOVED, LIVE], 'all or none', async (pets, query) => {
      const back = pets.map(({ id }) => id)
      await query(
        `WITH back AS (DELETE FROM removed_pets WHERE id = ANY($1::bigint[]) RETURNING id, name, category_id, status)
         INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM back`,
        [back],
      )
      await query('DELETE FROM purge_marks WHERE pet_id = ANY($1::bigint[])', [back])
      await enter(
        query,
        by,
        'restore',
        back.map((petId) => ({ petId })),
      )
      return back.length
    })
  }

  /** Runs `work` for the animals that `reach` allows, found by `source` before and by `result` after it. */
  #each(
    targets: readonly Target[],
    [source, result]: readonly [string, string],
    reach: Reach,
    work: (pets: readonly PetRecord[], query: Query) => Promise<number>,
  ): Promise<ChangeOutcome> {
    const versions = versionsOf(targets)
    const ids = [...versions.keys()]
    return this.#database.transaction('BEGIN', async (query): Promise<ChangeOutcome> => {
      const table = source === REMOVED ? 'removed_pets' : 'pets'
      await query(`SELECT 1 FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`, [ids])
      const pets = (await query(`${source} WHERE id = ANY($1::bigint[])`, [ids])).map(toRecord)
      const { reached, missing, conflicts } = sortTargets(versions, pets, reach)
      if (reached.length === 0) return { changed: 0, pets: [], missing, conflicts }
      const changed = await work(reached, query)
      const now = await query(`${result} WHERE id = ANY($1::bigint[])`, [reached.map(({ id }) => id)])
      return { changed, pets: now.map(toRecord), missing, conflicts }
    })
  }

  /** Does not rely on one reading of the clock; see ../sqlite/writing/purges.ts. */
  purge(beforeMs: number, by: Author): Promise<number> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query('LOCK TABLE purge_days IN SHARE ROW EXCLUSIVE MODE') // one node after the other
      await query(
        `INSERT INTO purge_days SELECT coalesce(max(n), 0) + 1, $1::bigint FROM purge_days ON CONFLICT (day) DO NOTHING`,
        [Math.floor(by.atMs / DAY_MS)],
      )
      await query('DELETE FROM purge_marks WHERE NOT EXISTS (SELECT FROM removed_pets WHERE id = pet_id)')
      await query(
        `INSERT INTO purge_marks SELECT id, (SELECT max(n) FROM purge_days) FROM removed_pets
         WHERE NOT EXISTS (SELECT FROM purge_marks WHERE pet_id = id) ON CONFLICT DO NOTHING`,
      )
      const rows = await query(
        `DELETE FROM removed_pets USING purge_marks
         WHERE id = pet_id AND removed_at_ms < $1::bigint AND seen_n <= (SELECT max(n) FROM purge_days) - $2::bigint
         RETURNING id`,
        [beforeMs, RESTORABLE_DAYS],
      )
      await query('DELETE FROM purge_marks WHERE pet_id = ANY($1::bigint[])', [rows.map(([id]) => id ?? '')])
      await enter(
        query,
        by,
        'purge',
        rows.map(([id]) => ({ petId: id ?? '' })),
      )
      return rows.length
    })
  }

  noteExport(format: string, by: Author): Promise<void> {
    return this.#database.transaction('BEGIN', (query) => enter(query, by, 'export', [{ to: exportedValues(format) }]))
  }

  async journal({
    petId,
    keyId,
    who,
    sinceMs,
    before,
    isBrief = false,
    limit,
  }: JournalQuery): Promise<readonly JournalEntry[]> {
    const values: unknown[] = [limit]
    const conditions = ['true']
    if (petId !== undefined) conditions.push(`pet_id = $${values.push(petId)}::bigint`)
    if (keyId !== undefined) conditions.push(`key_id = $${values.push(keyId)}`)
    if (who !== undefined) conditions.push(`who = $${values.push(who)}`)
    if (sinceMs !== undefined) conditions.push(`at_ms >= $${values.push(sinceMs)}::bigint`)
    if (before !== undefined) conditions.push(`n < $${values.push(before)}::bigint`)
    const rows = await this.#database.query(
      `SELECT n, at_ms, who, act, pet_id, key_id, ${VALUES.map((values) => (isBrief ? briefly(values) : values))}
       FROM journal WHERE ${conditions.join(' AND ')} ORDER BY n DESC LIMIT $1`,
      values,
    )
    return rows.map(toEntry)
  }

  async find(query: FindQuery): Promise<FoundPets> {
    const { ids, stoppedAt } = await this.#search.find(query)
    return { pets: await this.#listed(ids, query), stoppedAt }
  }

  async findByName(query: NamesQuery): Promise<readonly NamedPet[] | undefined> {
    const keys = await this.#search.findByName(query)
    if (keys === undefined) return undefined
    const pets = await this.#listed([...keys.keys()], { ...query, isBrief: true })
    const byId = new Map(pets.map((pet) => [BigInt(pet.id), pet]))
    return [...keys].flatMap(([id, key]) => {
      const pet = byId.get(id)
      return pet === undefined ? [] : [{ pet, key }]
    })
  }

  tally(query: TallyQuery): Promise<Tally> {
    return this.#search.tally(query)
  }

  async #listed(ids: readonly bigint[], { status, isBrief }: Pick<FindQuery, 'status' | 'isBrief'>) {
    const [whole, brief] = status === 'removed' ? [REMOVED, REMOVED_BRIEF] : [LIVE, LIVE_BRIEF]
    const one = isBrief ? brief : whole
    const rows = await this.#database.query(`${one} WHERE id = ANY($1::bigint[]) ORDER BY id DESC`, [ids])
    return rows.map(toRecord)
  }

  async categories(): Promise<ReadonlyMap<bigint, string>> {
    const rows = await this.#database.query('SELECT id, label FROM categories ORDER BY id')
    return new Map(rows.map(([id, label]) => [BigInt(id ?? ''), label ?? '']))
  }

  async label(categoryId: bigint, text: string | undefined, by: Author): Promise<void> {
    await this.#database.transaction('BEGIN', async (query) => {
      // Locks the table, since the row may not exist yet.
      await query('LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE')
      const [row] = await query('SELECT label FROM categories WHERE id = $1::bigint', [categoryId])
      const before = row?.[0] ?? undefined
      if (before === text) return
      if (text === undefined) await query('DELETE FROM categories WHERE id = $1::bigint', [categoryId])
      else {
        await query(
          'INSERT INTO categories VALUES ($1::bigint, $2) ON CONFLICT (id) DO UPDATE SET label = excluded.label',
          [categoryId, text],
        )
      }
      const [from, to] = [labelValues(categoryId, before), labelValues(categoryId, text)]
      await enter(query, by, 'label', [{ from, to }])
    })
  }
}

function toRecord([id, name, categoryId, status, version, removedAtMs]: Row): PetRecord {
  return {
    id: id ?? '',
    name: name ?? '',
    categoryId: categoryId ?? '',
    status: isPetStatus(status) ? status : undefined,
    version: BigInt(version ?? 0),
    removedAtMs: typeof removedAtMs === 'string' ? Number(removedAtMs) : undefined,
  }
}

function toEntry([n, atMs, who, act, petId, keyId, from, to]: Row): JournalEntry {
  const known = JOURNAL_ACTS.find((one) => one === act)
  if (known === undefined) throw new Error(`the journal holds an act that this version does not know: ${act}`)
  return {
    n: BigInt(n ?? ''),
    atMs: Number(atMs),
    who: who ?? '',
    act: known,
    petId: petId ?? undefined,
    keyId: keyId ?? undefined,
    from: from ?? undefined,
    to: to ?? undefined,
  }
}
