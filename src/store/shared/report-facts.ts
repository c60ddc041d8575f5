/**
 * Reads what a report rests on, by statements that both engines understand, in steps of some ms each. All of them see
 * one snapshot.
 */
import { DAY_MS, MINUTE_MS } from '../../common/clock.ts'
import { INT64_MAX, INT64_MIN } from '../../contract/int64.ts'
import type { ReportEntry, ReportFacts, Touched, Waiting } from '../report.ts'
import { type Arrival, arrivalOf, byFirst, dayOf, joined } from '../rules/arrivals.ts'
import type { JournalAct } from '../rules/journal.ts'

type Cell = string | bigint | null
type Row = readonly Cell[]

/** How an engine runs these statements. */
interface Asking {
  readonly ask: (sql: string, values?: readonly bigint[]) => Promise<readonly Row[]>
  /** How the value of this number is written, from 1 on. */
  readonly bind: (n: number) => string
  /** Whether an animal is visible. */
  readonly isThere: string
}

/** Entries or animals of a step. */
const PER_STEP = 20_000n

const WAITING = ['available', 'pending', null] as const

/** Of each category how many have each of these: SQLite takes half the time of grouping by category and status. */
const KINDS = `SELECT category_id, ${WAITING.map((status) => `count(*) FILTER (WHERE ${statusIs(status)})`)} FROM`

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

export async function reportFacts(asking: Asking, fromMs: number, untilMs: number): Promise<ReportFacts> {
  const { arrivals, created, notedFromMs } = await readArrivals(asking, fromMs, untilMs)
  const entered = await readEntries(asking, fromMs)
  const isOfMonth = (atMs: number) => fromMs <= atMs && atMs < untilMs
  return {
    arrived: await readArrived(asking, arrivals, isOfMonth),
    ...(await readWaiting(asking, arrivals)),
    removed: await readRemoved(asking, fromMs, untilMs),
    touched: touchedOf(entered, arrivals, await readUndos(asking)),
    acts: actsOf(entered.filter(({ entry }) => isOfMonth(entry.atMs))),
    created,
    notedFromMs,
  }
}

/** When animals came, and how many each key created in the month. */
async function readArrivals({ ask, bind }: Asking, fromMs: number, untilMs: number) {
  const keyed: Arrival[] = []
  const created = new Map<string, number>()
  let notedFromMs: number | undefined
  const next = `SELECT first_id, last_id, minute, key_id FROM created_ranges
    WHERE first_id > ${bind(1)} ORDER BY first_id LIMIT ${PER_STEP}`
  for (let after: bigint | undefined = INT64_MIN; after !== undefined; ) {
    const rows: readonly Row[] = await ask(next, [after])
    for (const [firstId, lastId, minute, keyId] of rows) {
      const [first, last, atMs] = [toInt(firstId), toInt(lastId), Number(minute) * MINUTE_MS]
      keyed.push({ first, last, day: dayOf(atMs) })
      notedFromMs = Math.min(notedFromMs ?? atMs, atMs)
      if (fromMs <= atMs && atMs < untilMs) {
        created.set(String(keyId), (created.get(String(keyId)) ?? 0) + Number(last - first + 1n))
      }
    }
    after = rows.length < PER_STEP ? undefined : keyed.at(-1)?.first
  }
  const added = await bySteps({ ask, bind }, 'SELECT pet_id, at_ms FROM journal', "act = 'add' AND pet_id IS NOT NULL")
  const firsts = new Map<bigint, Arrival>()
  for (const [petId, atMs] of added) {
    const id = toInt(petId)
    if (!firsts.has(id)) firsts.set(id, { first: id, last: id, day: dayOf(Number(atMs)) })
  }
  const imported =
    await ask(`SELECT imports.n, first_id, last_id, at_ms FROM imports JOIN import_ranges ON import_n = imports.n
    ORDER BY at_ms, imports.n, first_id`)
  const imports = Map.groupBy(imported, ([n]) => String(n))
  const brought = [...imports.values()].map((rows) =>
    rows.map(([, first, last, atMs]) => ({ first: toInt(first), last: toInt(last), day: dayOf(Number(atMs)) })),
  )
  return { arrivals: joined([keyed, [...firsts.values()].sort(byFirst), ...brought]), created, notedFromMs }
}

/** The journal from the month on, and what else it says of animals that came back or were purged since then. */
async function readEntries({ ask, bind }: Asking, fromMs: number): Promise<readonly Entered[]> {
  const first = `SELECT min(n) FROM journal WHERE n >= ${bind(1)} AND n < ${bind(2)} AND at_ms >= ${bind(3)}`
  const [last] = await ask('SELECT max(n) FROM journal')
  let from: bigint | undefined
  for (let at = 0n; from === undefined; at += PER_STEP) {
    if (at > toInt(last?.[0])) return []
    const [found] = await ask(first, [at, at + PER_STEP, BigInt(fromMs)])
    from = found === undefined || found[0] === null ? undefined : toInt(found[0])
  }
  // One look by its key for each entry: of a join, an engine may think that it is done best by reading all animals.
  const columns = `
    SELECT journal.n, at_ms, who, act, pet_id, from_values, to_values,
      (SELECT category_id || ' ' || coalesce(status, '') FROM pets WHERE id = pet_id),
      (SELECT category_id || ' ' || coalesce(status, '') || ' ' || removed_at_ms FROM removed_pets WHERE id = pet_id)
    FROM journal`
  const earlier = await ask(
    `${columns} WHERE journal.n < ${bind(1)} AND pet_id IN (
       SELECT pet_id FROM journal WHERE n >= ${bind(1)} AND act IN ('restore', 'purge') AND pet_id IS NOT NULL
     ) ORDER BY journal.n`,
    [from],
  )
  return [...earlier, ...(await bySteps({ ask, bind }, columns, 'true', from))].map(toEntered)
}

/** The rows about entries of the journal from `from` on, by its number. */
async function bySteps({ ask, bind }: Pick<Asking, 'ask' | 'bind'>, select: string, condition: string, from = 0n) {
  const [last] = await ask('SELECT max(n) FROM journal')
  const rows: Row[] = []
  const sql = `${select} WHERE journal.n >= ${bind(1)} AND journal.n < ${bind(2)} AND ${condition} ORDER BY journal.n`
  for (let at = from; at <= toInt(last?.[0]); at += PER_STEP) {
    for (const row of await ask(sql, [at, at + PER_STEP])) rows.push(row)
  }
  return rows
}

function toEntered([n, atMs, who, act, petId, from, to, live, removed]: Row): Entered {
  const entry = {
    n: toInt(n),
    atMs: Number(atMs),
    who: String(who),
    act: act as JournalAct,
    petId: petId === null || petId === undefined ? undefined : toInt(petId),
    from: from === null ? undefined : String(from),
    to: to === null ? undefined : String(to),
  }
  return { entry, now: toState(live ?? removed) }
}

/** From its category, its status, and the time at which it was removed. */
function toState(text: Cell | undefined): State | undefined {
  if (typeof text !== 'string') return undefined
  const [categoryId = '', status = '', removedAtMs] = text.split(' ')
  return {
    categoryId: toInt(categoryId),
    status: status === '' ? null : status,
    removedAtMs: removedAtMs === undefined ? undefined : Number(removedAtMs),
  }
}

/** All undos of imports; that of a sync has entries of its own for each animal. */
async function readUndos({ ask }: Asking): Promise<readonly Undo[]> {
  const entries = await ask(`SELECT n, at_ms, from_values FROM journal
    WHERE act = 'undo import' AND pet_id IS NULL AND key_id IS NULL ORDER BY n`)
  const undos = entries.flatMap(([n, atMs, from]) => {
    const [, importN] = /^\{"import":(\d+)/.exec(String(from)) ?? []
    return importN === undefined ? [] : [{ n: toInt(n), atMs: Number(atMs), importN }]
  })
  if (undos.length === 0) return []
  const rows = await ask('SELECT import_n, first_id, last_id FROM import_ranges')
  const ranges = Map.groupBy(rows, ([importN]) => String(importN))
  return undos.map(({ n, atMs, importN }) => ({
    n,
    atMs,
    ranges: (ranges.get(importN) ?? []).map(([, first, last]) => [toInt(first), toInt(last)] as const),
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
async function readArrived(asking: Asking, arrivals: readonly Arrival[], isOfMonth: (atMs: number) => boolean) {
  const { ask, bind, isThere } = asking
  const found: Counted[] = []
  for (const arrival of arrivals) {
    if (!isOfMonth(arrival.day * DAY_MS)) continue
    for (const [first, last] of await stepsOf(asking, arrival, true)) {
      for (const animals of [`pets WHERE ${isThere}`, 'removed_pets WHERE true']) {
        const rows = await ask(`${KINDS} ${animals} AND id BETWEEN ${bind(1)} AND ${bind(2)} GROUP BY category_id`, [
          first,
          last,
        ])
        found.push(...rows.flatMap(toCounted))
      }
    }
  }
  return found
}

/** Those that wait, by the indexes of statuses; between the ranges are animals that came nobody knows when. */
async function readWaiting(asking: Asking, arrivals: readonly Arrival[]) {
  const { ask, bind, isThere } = asking
  const between = `id BETWEEN ${bind(1)} AND ${bind(2)}`
  const counts = [
    ...WAITING.map((status) => `pets WHERE ${statusIs(status)} AND ${isThere}`),
    `pets WHERE status = 'sold' AND ${isThere}`,
    'removed_pets WHERE true',
  ].map((from) => `(SELECT count(*) FROM ${from} AND ${between})`)
  const sums = new Map<string, Waiting>()
  let unknown = 0
  const count = async (span: Pick<Arrival, 'first' | 'last'>, day: number | undefined) => {
    const asked = day === undefined ? counts : counts.slice(0, WAITING.length)
    for (const step of await stepsOf(asking, span, day !== undefined)) {
      const [row = []] = await ask(`SELECT ${asked}`, step)
      if (day === undefined) unknown += row.reduce((sum: number, cell) => sum + Number(cell), 0)
      for (const [place, status] of WAITING.entries()) {
        const name = `${day} ${status}`
        const animals = Number(row[place]) + (sums.get(name)?.animals ?? 0)
        if (animals > 0) sums.set(name, { day, status, animals })
      }
    }
  }
  let from = INT64_MIN
  for (const arrival of arrivals) {
    if (from < arrival.first) await count({ first: from, last: arrival.first - 1n }, undefined)
    await count(arrival, arrival.day)
    from = arrival.last + 1n
  }
  if (from <= INT64_MAX) await count({ first: from, last: INT64_MAX }, undefined)
  return { waiting: [...sums.values()], unknown }
}

/** The ids in steps; of a dense span most ids were given, others may be as wide as an int64. */
async function stepsOf({ ask, bind }: Asking, { first, last }: Pick<Arrival, 'first' | 'last'>, isDense: boolean) {
  const next = `SELECT max(id) FROM (
    SELECT id FROM pets WHERE id BETWEEN ${bind(1)} AND ${bind(2)} ORDER BY id LIMIT ${PER_STEP}) AS step`
  const steps: (readonly [first: bigint, last: bigint])[] = []
  for (let from = first; from <= last; ) {
    const [row] = isDense ? [] : await ask(next, [from, last])
    // Behind the last animal there may be removed ones.
    const end = isDense ? from + PER_STEP - 1n : row === undefined || row[0] === null ? last : toInt(row[0])
    const to = end < last ? end : last
    steps.push([from, to])
    from = to + 1n
  }
  return steps
}

async function readRemoved({ ask, bind }: Asking, fromMs: number, untilMs: number): Promise<ReportFacts['removed']> {
  const rows = await ask(
    `${KINDS} removed_pets WHERE removed_at_ms >= ${bind(1)} AND removed_at_ms < ${bind(2)} GROUP BY category_id`,
    [BigInt(fromMs), BigInt(untilMs)],
  )
  return rows.flatMap(toCounted)
}

function toCounted([categoryId, ...counts]: Row): Counted[] {
  return WAITING.map((status, place) => ({ categoryId: toInt(categoryId), status, animals: Number(counts[place]) }))
}

function statusIs(status: (typeof WAITING)[number]): string {
  return status === null ? 'status IS NULL' : `status = '${status}'`
}

function toInt(cell: Cell | undefined): bigint {
  return BigInt(cell ?? 0)
}
