/**
 * What a report of a month rests on (../domain/report.ts), as one instant has it: when animals came, as far as that is
 * known, how many of each kind there are, and what the journal says from the month on. Animals that the undo of an
 * import has removed count for nothing.
 */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import { INT64_MAX, INT64_MIN } from '../contract/int64.ts'
import { type Arrival, arrivalOf, byFirst, dayOf, mergeArrivals } from './arrivals.ts'
import type { JournalAct } from './journal.ts'
import { big, type Cell, type Database, int, type Methods, optionalText, type Row, type Sql, text } from './sql.ts'

/** The animals of one category and status; null is none. */
export interface Kind {
  readonly categoryId: bigint
  readonly status: string | null
}

/** Animals that are there and not sold, and came on the same day, if that is known. */
interface Waiting {
  /** Since 1970; undefined if nothing says when they came. */
  readonly day: number | undefined
  readonly status: string | null
  readonly animals: number
}

/** An entry of the journal, with the values that it says. */
export interface ReportEntry {
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  readonly petId: bigint | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  /** The number of the entry that this one takes back. */
  readonly undoes?: bigint
}

/** An animal with entries from the month on. */
export interface Touched {
  /** On which it came, since 1970, if anything says so. */
  readonly day: number | undefined
  /** As it is, or was when it was removed; undefined if it has been purged. */
  readonly now: (Kind & { readonly removedAtMs: number | undefined }) | undefined
  /** When the undo of an import removed it, if one did, with the number of the journal's entry of that undo. */
  readonly undone: { readonly n: bigint; readonly atMs: number } | undefined
  /** In their order; of an animal that was removed and came back, or was purged, all of them. */
  readonly entries: readonly ReportEntry[]
}

export interface ReportFacts {
  /** Those that came in the month, are there or removed, and are not or were not sold. */
  readonly arrived: readonly (Kind & { readonly animals: number })[]
  readonly waiting: readonly Waiting[]
  /** How many of those that are there or removed came nobody knows when. */
  readonly unknown: number
  /** Those that were removed in the month, are, and were not sold. */
  readonly removed: readonly (Kind & { readonly animals: number })[]
  readonly touched: readonly Touched[]
  /** Of the month, of whatever subject. */
  readonly acts: readonly { readonly who: string; readonly act: JournalAct; readonly times: number }[]
  /** How many animals each key created in the month. */
  readonly created: ReadonlyMap<string, number>
  /** Since when keys are noted; undefined if none has created an animal since then. */
  readonly notedFromMs: number | undefined
}

const WAITING = ['available', 'pending', null] as const

/** Of each category how many have each of these: SQLite takes half the time of grouping by category and status. */
const KINDS = `SELECT category_id, ${WAITING.map((status) => `count(*) FILTER (WHERE ${statusIs(status)})`)} FROM`

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

type Counted = ReportFacts['arrived'][number]

type State = NonNullable<Touched['now']>

interface Entered {
  readonly entry: ReportEntry
  readonly now: State | undefined
}

/** The undo of an import in the journal, and the ids that the import had. */
interface Undo {
  readonly n: bigint
  readonly atMs: number
  readonly ranges: readonly (readonly [first: bigint, last: bigint])[]
}

export type Reports = Methods<Report>

export class Report {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Of the time from `fromMs`, the beginning of a day, up to `untilMs`, all of one instant. */
  facts(fromMs: number, untilMs: number): Promise<ReportFacts> {
    return this.#db.snapshot(async (ask) => {
      const { arrivals, created, notedFromMs } = await readArrivals(ask, fromMs, untilMs)
      const entered = await readEntries(ask, fromMs)
      const isOfMonth = (atMs: number) => fromMs <= atMs && atMs < untilMs
      return {
        arrived: await readArrived(ask, arrivals, isOfMonth),
        ...(await readWaiting(ask, arrivals)),
        removed: await readRemoved(ask, fromMs, untilMs),
        touched: touchedOf(entered, arrivals, await readUndos(ask)),
        acts: actsOf(entered.filter(({ entry }) => isOfMonth(entry.atMs))),
        created,
        notedFromMs,
      }
    })
  }
}

/** When animals came, and how many each key created in the month. */
async function readArrivals(ask: Sql, fromMs: number, untilMs: number) {
  const keyed: Arrival[] = []
  const created = new Map<string, number>()
  let notedFromMs: number | undefined
  const ranges = await ask('SELECT first_id, last_id, minute, key_id FROM created_ranges ORDER BY first_id')
  for (const [firstId, lastId, minute, keyId] of ranges) {
    const [first, last, atMs] = [big(firstId), big(lastId), int(minute) * MINUTE_MS]
    keyed.push({ first, last, day: dayOf(atMs) })
    notedFromMs = Math.min(notedFromMs ?? atMs, atMs)
    if (fromMs <= atMs && atMs < untilMs) {
      created.set(text(keyId), (created.get(text(keyId)) ?? 0) + Number(last - first + 1n))
    }
  }
  const added = await ask("SELECT pet_id, at_ms FROM journal WHERE act = 'add' AND pet_id IS NOT NULL ORDER BY n")
  const firsts = new Map<bigint, Arrival>()
  for (const [petId, atMs] of added) {
    const id = big(petId)
    if (!firsts.has(id)) firsts.set(id, { first: id, last: id, day: dayOf(int(atMs)) })
  }
  const imported =
    await ask(`SELECT imports.n, first_id, last_id, at_ms FROM imports JOIN import_ranges ON import_n = imports.n
    ORDER BY at_ms, imports.n, first_id`)
  const imports = Map.groupBy(imported, ([n]) => String(n))
  const brought = [...imports.values()].map((rows) =>
    rows.map(([, first, last, atMs]) => ({ first: big(first), last: big(last), day: dayOf(int(atMs)) })),
  )
  return { arrivals: mergeArrivals([keyed, [...firsts.values()].sort(byFirst), ...brought]), created, notedFromMs }
}

/** The journal from the month on, and what else it says of animals that came back or were purged since then. */
async function readEntries(ask: Sql, fromMs: number): Promise<readonly Entered[]> {
  const [[first] = []] = await ask('SELECT min(n) FROM journal WHERE at_ms >= $1', [fromMs])
  if (first === null || first === undefined) return []
  // One look by its key for each entry: of a join, an engine may think that it is done best by reading all animals.
  const columns = `
    SELECT journal.n, at_ms, who, act, pet_id, from_values, to_values, undoes,
      (SELECT category_id || ' ' || coalesce(status, '') FROM pets WHERE id = pet_id),
      (SELECT category_id || ' ' || coalesce(status, '') || ' ' || removed_at_ms FROM removed_pets WHERE id = pet_id)
    FROM journal`
  const earlier = await ask(
    `${columns} WHERE journal.n < $1 AND pet_id IN (
       SELECT pet_id FROM journal WHERE n >= $1 AND act IN ('restore', 'purge') AND pet_id IS NOT NULL
     ) ORDER BY journal.n`,
    [first],
  )
  return [...earlier, ...(await ask(`${columns} WHERE journal.n >= $1 ORDER BY journal.n`, [first]))].map(toEntered)
}

function toEntered([n, atMs, who, act, petId, from, to, undoes, live, removed]: Row): Entered {
  const entry = {
    n: big(n),
    atMs: int(atMs),
    who: text(who),
    act: act as JournalAct,
    petId: petId === null || petId === undefined ? undefined : big(petId),
    from: optionalText(from),
    to: optionalText(to),
    ...(undoes !== null && undoes !== undefined && { undoes: big(undoes) }),
  }
  return { entry, now: toState(live ?? removed) }
}

/** From its category, its status, and the time at which it was removed. */
function toState(text: Cell | undefined): State | undefined {
  if (typeof text !== 'string') return undefined
  const [categoryId = '', status = '', removedAtMs] = text.split(' ')
  return {
    categoryId: big(categoryId),
    status: status === '' ? null : status,
    removedAtMs: removedAtMs === undefined ? undefined : Number(removedAtMs),
  }
}

/** All undos of imports; that of a sync has entries of its own for each animal. */
async function readUndos(ask: Sql): Promise<readonly Undo[]> {
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

/** An animal whose first entry is that of its return or end was removed by the first undo of an import of it. */
function touchedOf(
  entered: readonly Entered[],
  arrivals: readonly Arrival[],
  undos: readonly Undo[],
): readonly Touched[] {
  const byPet = Map.groupBy(entered, ({ entry }) => entry.petId)
  byPet.delete(undefined)
  return [...byPet].map(([id = 0n, of]) => {
    const [first] = of
    const isBack = first?.entry.act === 'restore' || first?.entry.act === 'purge'
    const undone = undos.find(
      ({ n, ranges }) => isBack && n < first.entry.n && ranges.some(([low, high]) => low <= id && id <= high),
    )
    return {
      day: arrivalOf(id, arrivals)?.day,
      now: first?.now,
      undone: undone && { n: undone.n, atMs: undone.atMs },
      entries: of.map(({ entry }) => entry),
    }
  })
}

function actsOf(entered: readonly Entered[]): ReportFacts['acts'] {
  const times = new Map<string, { readonly who: string; readonly act: JournalAct; times: number }>()
  for (const { entry } of entered) {
    const name = `${entry.act}\n${entry.who}` // no act has more than a line
    const known = times.get(name)
    if (known === undefined) times.set(name, { who: entry.who, act: entry.act, times: 1 })
    else known.times += 1
  }
  return [...times.values()]
}

/** Those that came in the month; the ranges are of days, and a month begins with one. */
async function readArrived(ask: Sql, arrivals: readonly Arrival[], isOfMonth: (atMs: number) => boolean) {
  const found: Counted[] = []
  for (const { first, last, day } of arrivals) {
    if (!isOfMonth(day * DAY_MS)) continue
    for (const animals of ['pets WHERE true', `removed_pets WHERE ${IS_NOT_UNDONE}`]) {
      const select = `${KINDS} ${animals} AND id BETWEEN $1 AND $2 GROUP BY category_id`
      found.push(...(await ask(select, [first, last])).flatMap(toCounted))
    }
  }
  return found
}

/** Those that wait, by the indexes of statuses; between the ranges are animals that came nobody knows when. */
async function readWaiting(ask: Sql, arrivals: readonly Arrival[]) {
  const between = `id BETWEEN $1 AND $2`
  const counts = [
    ...WAITING.map((status) => `pets WHERE ${statusIs(status)}`),
    `pets WHERE status = 'sold'`,
    `removed_pets WHERE ${IS_NOT_UNDONE}`,
  ].map((from) => `(SELECT count(*) FROM ${from} AND ${between})`)
  const sums = new Map<string, Waiting>()
  let unknown = 0
  const count = async (first: bigint, last: bigint, day: number | undefined) => {
    const asked = day === undefined ? counts : counts.slice(0, WAITING.length)
    const [row = []] = await ask(`SELECT ${asked}`, [first, last])
    if (day === undefined) unknown += row.reduce((sum: number, cell) => sum + int(cell), 0)
    for (const [place, status] of WAITING.entries()) {
      const name = `${day} ${status}`
      const animals = int(row[place]) + (sums.get(name)?.animals ?? 0)
      if (animals > 0) sums.set(name, { day, status, animals })
    }
  }
  let from = INT64_MIN
  for (const arrival of arrivals) {
    if (from < arrival.first) await count(from, arrival.first - 1n, undefined)
    await count(arrival.first, arrival.last, arrival.day)
    from = arrival.last + 1n
  }
  if (from <= INT64_MAX) await count(from, INT64_MAX, undefined)
  return { waiting: [...sums.values()], unknown }
}

async function readRemoved(ask: Sql, fromMs: number, untilMs: number): Promise<ReportFacts['removed']> {
  const rows = await ask(
    `${KINDS} removed_pets WHERE removed_at_ms >= $1 AND removed_at_ms < $2 AND ${IS_NOT_UNDONE} GROUP BY category_id`,
    [fromMs, untilMs],
  )
  return rows.flatMap(toCounted)
}

function toCounted([categoryId, ...counts]: Row): Counted[] {
  return WAITING.map((status, place) => ({ categoryId: big(categoryId), status, animals: Number(counts[place]) }))
}

function statusIs(status: (typeof WAITING)[number]): string {
  return status === null ? 'status IS NULL' : `status = '${status}'`
}
