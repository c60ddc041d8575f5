/**
 * What a report of a month rests on (../domain/report.ts), as one instant has it: when animals came, as far as that is
 * known, how many of each kind there are, and what the journal says from the month on. Animals that the undo of an
 * import has removed count for nothing.
 */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import type { JournalAct } from '../rules/journal.ts'
import { selectAny } from './animals.ts'
import { type JournalEntry, readEntries } from './journal.ts'
import { originsOf } from './origins.ts'
import { big, type Database, int, optionalInt, optionalText, type Sql, text } from './sql.ts'

/** The animals of one category and status; null is none. */
export interface Kind {
  readonly categoryId: bigint
  readonly status: string | null
}

type Counted = Kind & { readonly animals: number }

/** Animals that are there and not sold, and came on the same day, if that is known. */
interface Waiting {
  /** Since 1970; undefined if nothing says when they came. */
  readonly day: number | undefined
  /** Whether an import brought them, which is no arrival. */
  readonly isImported: boolean
  readonly status: string | null
  readonly animals: number
}

/** An animal with entries from the month on. */
export interface Touched {
  /** When it came, in Unix ms, if anything says so. */
  readonly cameAtMs: number | undefined
  /** As it is, or was when it was removed; undefined if it has been purged. */
  readonly now: (Kind & { readonly removedAtMs: number | undefined }) | undefined
  /** When the undo of an import removed it, if one did, with the number of the journal's entry of that undo. */
  readonly undone: { readonly n: bigint; readonly atMs: number } | undefined
  /** In their order; of an animal that was removed and came back, or was purged, all of them. */
  readonly entries: readonly JournalEntry[]
}

export interface ReportFacts {
  /** Those that came in the month, are there or removed, and are not or were not sold. */
  readonly arrived: readonly Counted[]
  readonly waiting: readonly Waiting[]
  /** How many of those that are there or removed came nobody knows when. */
  readonly unknown: number
  /** Those that were removed in the month, are, and were not sold. */
  readonly removed: readonly Counted[]
  readonly touched: readonly Touched[]
  /** Of the month, of whatever subject. */
  readonly acts: readonly { readonly who: string; readonly act: JournalAct; readonly times: number }[]
  /** How many animals each key created in the month. */
  readonly created: ReadonlyMap<string, number>
  /** Since when keys are noted; undefined if none has created an animal since then. */
  readonly notedFromMs: number | undefined
}

/**
 * Of a removed animal: that it was not the undo of an import that has removed it. A person who does so writes an entry,
 * perhaps at the same instant.
 */
const IS_NOT_UNDONE = `(
  NOT EXISTS (
    SELECT 1 FROM imports JOIN import_ranges ON import_n = imports.n
    WHERE undone_at_ms = removed_at_ms AND removed_pets.id BETWEEN first_id AND last_id)
  OR EXISTS (
    SELECT 1 FROM journal WHERE pet_id = removed_pets.id AND act = 'remove' AND journal.at_ms = removed_at_ms))`

/**
 * The animals of a table of which it is known when they were noted (as ./origins.ts has it), by status, category if that
 * was in the month, and day of arrival: that of their list, or of being noted unless by an import, which is place 3.
 */
const countKnown = (table: string, condition: string) => {
  const animals = `(SELECT id, status, category_id FROM ${table} WHERE ${condition}) AS animals`
  return `
    SELECT coalesce(day, CASE WHEN place < 3 THEN came_at_ms / ${DAY_MS} END), status, CASE WHEN came_at_ms >= $1 AND came_at_ms < $2 THEN category_id END,
      CASE WHEN place = 3 AND day IS NULL THEN 1 ELSE 0 END, count(*)
    FROM (
      SELECT status, category_id, min(place) AS place, min(day) AS day, coalesce(
        min(CASE place WHEN 1 THEN at_ms END), min(CASE place WHEN 2 THEN at_ms END), min(at_ms)) AS came_at_ms
      FROM (
        SELECT animals.*, minute * ${MINUTE_MS} AS at_ms, 1 AS place
        FROM created_ranges CROSS JOIN ${animals} WHERE id BETWEEN first_id AND last_id
        UNION ALL SELECT animals.*, at_ms, CASE WHEN to_values LIKE '{"import":%' THEN 3 ELSE 2 END
        FROM journal CROSS JOIN ${animals} WHERE id = pet_id AND act = 'add'
        UNION ALL SELECT animals.*, at_ms, 3
        FROM imports JOIN import_ranges ON import_n = n CROSS JOIN ${animals} WHERE id BETWEEN first_id AND last_id
      ) AS said LEFT JOIN arrivals ON pet_id = id GROUP BY id, status, category_id
    ) AS came GROUP BY 1, 2, 3, 4`
}

export class Report {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Of the time from `fromMs`, the beginning of a day, up to `untilMs`, all of one instant. */
  facts(fromMs: number, untilMs: number): Promise<ReportFacts> {
    const month = [fromMs, untilMs]
    return this.#db.snapshot(async (ask) => {
      const [[firstMinute] = []] = await ask('SELECT min(minute) FROM created_ranges')
      const created = await ask(
        `SELECT key_id, sum(last_id - first_id + 1) FROM created_ranges
         WHERE minute * ${MINUTE_MS} >= $1 AND minute * ${MINUTE_MS} < $2 GROUP BY key_id`,
        month,
      )
      const acts = await ask(
        'SELECT who, act, count(*) FROM journal WHERE at_ms >= $1 AND at_ms < $2 GROUP BY who, act ORDER BY min(n)',
        month,
      )
      const removed = await ask(
        `SELECT category_id, status, count(*) FROM removed_pets
         WHERE removed_at_ms >= $1 AND removed_at_ms < $2 AND status IS DISTINCT FROM 'sold' AND ${IS_NOT_UNDONE}
         GROUP BY category_id, status`,
        month,
      )
      return {
        ...(await readAnimals(ask, month)),
        removed: removed.map(([categoryId, status, animals]) => ({
          ...{ categoryId: big(categoryId), status: optionalText(status) ?? null, animals: int(animals) },
        })),
        touched: await this.#touched(ask, fromMs),
        acts: acts.map(([who, act, times]) => ({ who: text(who), act: act as JournalAct, times: int(times) })),
        created: new Map(created.map(([keyId, animals]) => [text(keyId), int(animals)])),
        notedFromMs: firstMinute === null ? undefined : int(firstMinute) * MINUTE_MS,
      }
    })
  }

  /**
   * By the journal from the month on, and what else it says of animals that came back or were purged since then. An
   * animal whose first entry is that of its return or end was removed by the first undo of an import of it.
   */
  async #touched(ask: Sql, fromMs: number): Promise<readonly Touched[]> {
    const { dialect } = this.#db
    const since = 'n >= (SELECT min(n) FROM journal WHERE at_ms >= $1)'
    const entries = await readEntries(
      ask,
      `pet_id IS NOT NULL AND (${since} OR pet_id IN (
         SELECT pet_id FROM journal WHERE ${since} AND act IN ('restore', 'purge') AND pet_id IS NOT NULL
       )) ORDER BY n`,
      [fromMs],
    )
    const byPet = Map.groupBy(entries, ({ petId }) => BigInt(petId ?? 0))
    const ids = [...byPet.keys()]
    const origins = await originsOf(dialect, ask, ids)
    const pets = new Map((await selectAny(this.#db, ask, ids, true)).map((pet) => [BigInt(pet.id), pet]))
    const undos = await readUndos(ask)
    return [...byPet].map(([id, entries]) => {
      const [first] = entries
      const isBack = first?.act === 'restore' || first?.act === 'purge'
      const undone = undos.find(
        ({ n, ranges }) => isBack && n < first.n && ranges.some(([low, high]) => low <= id && id <= high),
      )
      const cameAtMs = origins.get(id)?.atMs
      const pet = pets.get(id)
      return {
        cameAtMs,
        now: pet && { categoryId: BigInt(pet.categoryId), status: pet.status ?? null, removedAtMs: pet.removedAtMs },
        undone: undone && { n: undone.n, atMs: undone.atMs },
        entries,
      }
    })
  }
}

async function readAnimals(ask: Sql, month: readonly number[]) {
  const arrived: Counted[] = []
  const waiting: Waiting[] = []
  let unknown = 0
  for (const isThere of [true, false]) {
    const [table, condition] = isThere ? ['pets', 'true'] : ['removed_pets', IS_NOT_UNDONE]
    const all = await ask(`SELECT status, count(*) FROM ${table} WHERE ${condition} GROUP BY status`)
    const others = new Map(all.map(([status, animals]) => [optionalText(status) ?? null, int(animals)]))
    for (const [day, kind, categoryId, imported, n] of await ask(countKnown(table, condition), month)) {
      const [status, animals] = [optionalText(kind) ?? null, int(n)]
      others.set(status, (others.get(status) ?? 0) - animals)
      if (status === 'sold') continue
      if (isThere) waiting.push({ day: optionalInt(day), isImported: imported === 1n, status, animals })
      if (categoryId !== null) arrived.push({ categoryId: big(categoryId), status, animals })
    }
    for (const [status, animals] of others) {
      unknown += animals
      if (isThere && status !== 'sold') waiting.push({ day: undefined, isImported: false, status, animals })
    }
  }
  return { arrived, waiting, unknown }
}

/** All undos of imports; that of a sync has entries of its own for each animal. */
async function readUndos(ask: Sql) {
  const entries = await ask(`SELECT n, at_ms, from_values FROM journal
    WHERE act = 'undo import' AND pet_id IS NULL AND key_id IS NULL ORDER BY n`)
  const undos = entries.flatMap(([n, atMs, from]) => {
    const [, importN] = /^\{"import":(\d+)/.exec(String(from)) ?? []
    return importN === undefined ? [] : [{ n: big(n), atMs: int(atMs), importN }]
  })
  if (undos.length === 0) return []
  const rows = await ask('SELECT import_n, first_id, last_id FROM import_ranges')
  const ranges = Map.groupBy(rows, ([importN]) => String(importN))
  return undos.map(({ n, atMs, importN }) => ({
    n,
    atMs,
    ranges: (ranges.get(importN) ?? []).map(([, first, last]) => [big(first), big(last)] as const),
  }))
}
