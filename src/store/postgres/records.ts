/**
 * The operator's side of the animals in PostgreSQL: each call is one transaction, including its journal entries. Rows
 * are locked in the order of their ids, so two people who change the same animals cannot deadlock.
 */

import { isPetStatus, type NewPet } from '../../contract/schemas.ts'
import type { Author } from '../author.ts'
import type {
  Added,
  ChangeOutcome,
  Choice,
  FindQuery,
  FoundPets,
  JournalEntry,
  JournalQuery,
  OrderedPet,
  OrderedQuery,
  PetChanges,
  PetRecord,
  PetRecords,
  Reach,
  Tally,
  TallyQuery,
  Target,
  Whose,
} from '../records.ts'
import { BRIEF_NAME, FORMS_KEPT, LONG_VALUES_BYTES } from '../rules/bounds.ts'
import { addedValues, exportedValues, JOURNAL_ACTS } from '../rules/journal.ts'
import { difference, sortTargets, versionsOf } from '../shared/changes.ts'
import type { Database } from './connection/database.ts'
import type { Query, Row } from './connection/query.ts'
import { type Entry, enter } from './journal.ts'
import { findInOrder, tally } from './searching/lists.ts'
import { PostgresSearch } from './searching/search.ts'

const REST = 'category_id, status, (SELECT max(n) FROM journal WHERE pet_id = id)'
export const LIVE = `SELECT id, name, ${REST}, NULL FROM pets`
/** Only the beginning of the name. */
const BRIEFLY = `left(name, ${BRIEF_NAME + 1})`
const LIVE_BRIEF = `SELECT id, ${BRIEFLY}, ${REST}, NULL FROM pets`
const REMOVED = `SELECT id, name, ${REST}, removed_at_ms FROM removed_pets`
const REMOVED_BRIEF = `SELECT id, ${BRIEFLY}, ${REST}, removed_at_ms FROM removed_pets`
const ONE = `${LIVE} WHERE id = $1::bigint UNION ALL ${REMOVED} WHERE id = $1::bigint`

const OWN = `
  SELECT pet_id FROM journal AS mine WHERE pet_id = ANY($1::bigint[]) AND act = $2 AND who = $3
  AND NOT EXISTS (SELECT FROM journal WHERE pet_id = mine.pet_id AND n > mine.n AND who <> $3)`

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

  remove(targets: readonly Target[], by: Author, whose: Whose = 'any'): Promise<ChangeOutcome> {
    const own = whose === 'own' ? { act: 'add', who: by.who } : undefined
    const work = async (pets: readonly PetRecord[], query: Query) => {
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
    }
    return this.#each(targets, [LIVE, REMOVED], 'all or none', work, own)
  }

  restore(targets: readonly Target[], by: Author, whose: Whose = 'any'): Promise<ChangeOutcome> {
    const own = whose === 'own' ? { act: 'remove', who: by.who } : undefined
    const work = async (pets: readonly PetRecord[], query: Query) => {
      const back = pets.map(({ id }) => id)
      await query(
        `WITH back AS (DELETE FROM removed_pets WHERE id = ANY($1::bigint[]) RETURNING id, name, category_id, status)
         INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM back`,
        [back],
      )
      await enter(
        query,
        by,
        'restore',
        back.map((petId) => ({ petId })),
      )
      return back.length
    }
    return this.#each(targets, [REMOVED, LIVE], 'all or none', work, own)
  }

  /**
   * Runs `work` for the animals that `reach` allows, found by `source` before and by `result` after it; with `own`, for
   * those with which this person did the act, and nobody else anything since.
   */
  #each(
    targets: readonly Target[],
    [source, result]: readonly [string, string],
    reach: Reach,
    work: (pets: readonly PetRecord[], query: Query) => Promise<number>,
    own?: { readonly act: string; readonly who: string },
  ): Promise<ChangeOutcome> {
    const versions = versionsOf(targets)
    const ids = [...versions.keys()]
    return this.#database.transaction('BEGIN', async (query): Promise<ChangeOutcome> => {
      const table = source === REMOVED ? 'removed_pets' : 'pets'
      await query(`SELECT 1 FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`, [ids])
      const pets = (await query(`${source} WHERE id = ANY($1::bigint[])`, [ids])).map(toRecord)
      const mine = own && new Set((await query(OWN, [ids, own.act, own.who])).map(([id]) => id))
      const isOpen = ({ id }: PetRecord) => mine === undefined || mine.has(id)
      const { reached, missing, conflicts } = sortTargets(versions, pets, reach, isOpen)
      if (reached.length === 0) return { changed: 0, pets: [], missing, conflicts }
      const changed = await work(reached, query)
      const now = await query(`${result} WHERE id = ANY($1::bigint[])`, [reached.map(({ id }) => id)])
      return { changed, pets: now.map(toRecord), missing, conflicts }
    })
  }

  purge(beforeMs: number, by: Author): Promise<number> {
    return this.#database.transaction('BEGIN', async (query) => {
      const rows = await query('DELETE FROM removed_pets WHERE removed_at_ms < $1::bigint RETURNING id', [beforeMs])
      for (const table of ['pet_references', 'merged_pets']) {
        await query(`DELETE FROM ${table} WHERE pet_id = ANY($1::bigint[])`, [rows.map(([id]) => id ?? '')])
      }
      await enter(
        query,
        by,
        'purge',
        rows.map(([id]) => ({ petId: id ?? '' })),
      )
      return rows.length
    })
  }

  noteExport(format: string, animals: Choice, by: Author): Promise<void> {
    const to = exportedValues(format, animals)
    return this.#database.transaction('BEGIN', (query) => enter(query, by, 'export', [{ to }]))
  }

  async journal({
    petId,
    keyId,
    who,
    acts,
    sinceMs,
    untilMs,
    before,
    from,
    isBrief = false,
    limit,
  }: JournalQuery): Promise<readonly JournalEntry[]> {
    const values: unknown[] = [limit]
    const conditions = ['true']
    if (petId !== undefined) conditions.push(`pet_id = $${values.push(petId)}::bigint`)
    if (keyId !== undefined) conditions.push(`key_id = $${values.push(keyId)}`)
    if (who !== undefined) conditions.push(`who = $${values.push(who)}`)
    if (sinceMs !== undefined) conditions.push(`at_ms >= $${values.push(sinceMs)}::bigint`)
    if (acts !== undefined) conditions.push(`act = ANY($${values.push(acts)})`)
    if (untilMs !== undefined) conditions.push(`at_ms < $${values.push(untilMs)}::bigint`)
    if (before !== undefined) conditions.push(`n < $${values.push(before)}::bigint`)
    if (from !== undefined) conditions.push(`n >= $${values.push(from)}::bigint`)
    const rows = await this.#database.query(
      `SELECT n, at_ms, who, act, pet_id, key_id, ${VALUES.map((values) => (isBrief ? briefly(values) : values))}
       FROM journal WHERE ${conditions.join(' AND ')} ORDER BY n DESC LIMIT $1`,
      values,
    )
    return rows.map(toEntry)
  }

  async names(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const named = (table: string) => `SELECT id, ${BRIEFLY} FROM ${table} WHERE id = ANY($1::bigint[])`
    const rows = await this.#database.query(`${named('pets')} UNION ALL ${named('removed_pets')}`, [ids])
    return new Map(rows.map(([id, name]) => [BigInt(id ?? ''), name ?? '']))
  }

  async find(query: FindQuery): Promise<FoundPets> {
    const { ids, stoppedAt } = await this.#search.find(query)
    return { pets: await this.#listed(ids, query), stoppedAt }
  }

  async findInOrder(query: OrderedQuery): Promise<readonly OrderedPet[] | undefined> {
    const keys = await findInOrder(this.#search, query)
    if (keys === undefined) return undefined
    const pets = await this.#listed([...keys.keys()], { ...query, isBrief: true })
    const byId = new Map(pets.map((pet) => [BigInt(pet.id), pet]))
    return [...keys].flatMap(([id, key]) => {
      const pet = byId.get(id)
      return pet === undefined ? [] : [{ pet, key }]
    })
  }

  tally(query: TallyQuery): Promise<Tally> {
    return tally(this.#search, query)
  }

  async #listed(ids: readonly bigint[], { status, isBrief }: Pick<FindQuery, 'status' | 'isBrief'>) {
    const [whole, brief] = status === 'removed' ? [REMOVED, REMOVED_BRIEF] : [LIVE, LIVE_BRIEF]
    const one = isBrief ? brief : whole
    const rows = await this.#database.query(`${one} WHERE id = ANY($1::bigint[]) ORDER BY id DESC`, [ids])
    return rows.map(toRecord)
  }
}

export function toRecord([id, name, categoryId, status, version, removedAtMs]: Row): PetRecord {
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
