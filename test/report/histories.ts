/**
 * Random histories of a shelter's animals, and a report by somebody who has looked after each act: who came in and went
 * out is found by comparing what was there before and after, and nothing of it is read from the journal.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/clock.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import { monthOf, readReport, spanOf } from '../../src/domain/report.ts'
import { COUNTED, type MonthReport, type ReportCounts } from '../../src/domain/report-lines.ts'
import type { Author } from '../../src/store/author.ts'
import { openStore } from '../../src/store/open.ts'
import type { FileRow } from '../../src/store/staging.ts'
import type { Store } from '../../src/store/store.ts'
import { batchesOf, PLAIN_IMPORT, PLAIN_SYNC } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'

type Status = PetStatus | null

interface Place {
  readonly categoryId: bigint
  readonly status: Status
}

/** After an act; no category while it was not there. */
type Seen = (Place | { readonly categoryId: undefined }) & {
  readonly atMs: number
  /** Whether this is how it came, rather than that it came back. */
  readonly isArrival?: true
  /** The sync that did it: whether it listed the animal, or missed it. */
  readonly sync?: 'listed' | 'missing' | undefined
}

/** An animal as it was seen after each act that changed it and was not undone. */
interface Life {
  /** When it was noted by a key, a person or an import; undefined if by none. */
  readonly notedAtMs: number | undefined
  /** The day of its list. */
  readonly day: number | undefined
  readonly isImported: boolean
  readonly seen: Seen[]
  /** What its entries say, undone ones too, which is what is known of an animal that is purged. */
  readonly says: { status: boolean; category: boolean }
  /** What the last act has taken back, which a button takes back too. */
  reverted: Seen | undefined
  isPurged: boolean
}

type Step =
  | { readonly does: 'create'; readonly key: string | undefined; readonly status: Status; readonly animals: number }
  | { readonly does: 'add' | 'edit' | 'set'; readonly status: Status; readonly which: number }
  | { readonly does: 'remove' | 'restore' | 'undo' | 'revert'; readonly which: number }
  | { readonly does: 'import'; readonly status: Status; readonly animals: number }
  | {
      readonly does: 'sync'
      readonly status: Status
      readonly from: number
      readonly missing: 'keep' | 'sold' | 'remove'
    }
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'purge' }

const status = fc.constantFrom<Status>('available', 'pending', 'sold', null)
const which = fc.nat(1_000)
const animals = fc.integer({ min: 1, max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('create' as const),
      key: fc.constantFrom('key_a', 'key_b', undefined),
      status,
      animals,
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({ does: fc.constantFrom('add' as const, 'edit' as const, 'set' as const), status, which }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      does: fc.constantFrom<'remove' | 'restore' | 'undo' | 'revert'>('remove', 'restore', 'undo', 'revert'),
      which,
    }),
  },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('import' as const), status, animals }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('sync' as const),
      status,
      from: fc.nat(6),
      missing: fc.constantFrom('keep' as const, 'sold' as const, 'remove' as const),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.constantFrom(1, MINUTE_MS, 5 * HOUR_MS, 3 * DAY_MS, 12 * DAY_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const) }) },
)

/** Where a month begins most of a day before it does in UTC, or some hours later, and the clocks change. */
const ZONES = ['Pacific/Auckland', 'America/Los_Angeles'] as const
/** The first record. */
const BEGUN_MS = Date.UTC(2026, 9, 29, 22)

class Shelter {
  readonly #store: Store
  readonly #time: { nowMs: number }
  readonly #zone: string
  readonly #lives = new Map<string, Life>()
  #forms = 0

  static async open(url: string, zone: string): Promise<Shelter> {
    const time = { nowMs: BEGUN_MS }
    const store = await openStore(url, { serving: true, clock: clockAt(() => time.nowMs) })
    await store.words.setShelter({ zone }, { who: 'Ada', atMs: time.nowMs })
    return new Shelter(store, time, zone)
  }

  private constructor(store: Store, time: { nowMs: number }, zone: string) {
    this.#store = store
    this.#zone = zone
    this.#time = time
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      await this.#act(one)
      await this.#look(one)
    }
  }

  async #act(one: Step): Promise<void> {
    const { records, imports, pets } = this.#store
    const by: Author = { who: 'Ada', atMs: this.#time.nowMs }
    const given =
      one.does === 'wait' || one.does === 'purge' || !('status' in one) ? undefined : (one.status ?? undefined)
    const categoryId = BigInt(this.#forms % 3)
    this.#forms += 1
    const pet = {
      name: `Rex ${this.#forms} "categoryId":9,"status":"sold"`,
      categoryId,
      ...(given && { status: given }),
    }
    const id = 'which' in one ? BigInt([...this.#lives.keys()].at(one.which % this.#lives.size || 0) ?? 1) : 1n
    if (one.does === 'wait') this.#time.nowMs += one.ms
    if (one.does === 'create') {
      await Promise.all(Array.from({ length: one.animals }, () => pets.create(pet, one.key)))
    }
    if (one.does === 'add') await records.add(pet, by, `form ${this.#forms}`)
    if (one.does === 'set') await records.change([id], { status: one.status }, by)
    if (one.does === 'edit') await records.change([id], { categoryId, name: `Rex ${this.#forms}` }, by)
    if (one.does === 'remove') await records.remove([id], by)
    if (one.does === 'restore') await records.restore([id], by)
    if (one.does === 'revert') {
      const { version = 0n } = (await records.get(id)) ?? {}
      await records.undo([{ id, version }], by)
    }
    if (one.does === 'import')
      await imports.add(
        batchesOf(Array.from({ length: one.animals }, () => ({ ...pet, ...this.#dayOf(one.animals) }))),
        {
          ...PLAIN_IMPORT,
          by,
        },
      )
    if (one.does === 'sync') {
      const options = { ...PLAIN_SYNC, by, missing: one.missing, adopts: true }
      await this.#store.sync.run(batchesOf(listed(one.from, one.status)), options)
    }
    if (one.does === 'undo') {
      const all = await imports.list(100)
      const n = all.at(one.which % (all.length || 1))?.n
      if (n !== undefined) await imports.undo(n, by)
    }
    if (one.does === 'purge') {
      for (let day = 0; day < 35; day += 1) {
        this.#time.nowMs += DAY_MS
        await records.purge({ who: 'Ada', atMs: this.#time.nowMs })
      }
    }
  }

  /** Compares what is there with what was. */
  async #look(one: Step): Promise<void> {
    if (one.does === 'wait') return
    const atMs = this.#time.nowMs
    const there = new Map<string, Place>()
    const names = new Map<string, string>()
    for await (const batch of this.#store.pets.export()) {
      for (const { id, name, categoryId, status = null } of batch) {
        there.set(id, { categoryId: BigInt(categoryId), status })
        names.set(id, name)
      }
    }
    const listing = one.does === 'sync' ? new Set(listed(one.from, one.status).map(({ name }) => name)) : undefined
    for (const [id, { categoryId, status }] of there) {
      const sync = listing && (listing.has(names.get(id) ?? '') ? 'listed' : 'missing')
      const life = this.#lives.get(id)
      const last = life?.seen.at(-1)
      if (life === undefined) {
        const isNoted = one.does !== 'create' || one.key !== undefined
        const isSaid = one.does === 'add' || one.does === 'sync'
        const isImported = one.does === 'import' || one.does === 'sync'
        const says = { status: isSaid, category: isSaid }
        this.#lives.set(id, {
          notedAtMs: isNoted ? atMs : undefined,
          day:
            one.does === 'import'
              ? this.#dayOf(one.animals).cameOn
              : isImported
                ? listedOn(names.get(id) ?? '')
                : undefined,
          isImported,
          seen: [{ atMs, categoryId, status, isArrival: true }],
          says,
          reverted: undefined,
          isPurged: false,
        })
      } else if (last?.categoryId !== categoryId || last.status !== status) {
        const before = life.seen.findLast((seen) => seen.categoryId !== undefined)
        life.says.category ||= before?.categoryId !== undefined && before.categoryId !== categoryId
        life.says.status ||= before?.categoryId !== undefined && before.status !== status
        see(life, one, { atMs, categoryId, status, sync })
      }
    }
    for (const [id, life] of this.#lives) {
      if (!there.has(id) && life.seen.at(-1)?.categoryId !== undefined) {
        see(life, one, { atMs, categoryId: undefined })
      }
      if (one.does === 'purge' && !life.isPurged && (await this.#store.records.get(BigInt(id))) === undefined) {
        life.isPurged = true
      }
    }
  }

  /** Some lists say on which day their animals came: long ago, or lately. */
  #dayOf(n: number): { readonly cameOn?: number } {
    const cameOn = n === 1 ? 20_001 : Math.floor(this.#time.nowMs / DAY_MS) - (this.#forms % 40)
    return n % 2 === 0 ? {} : { cameOn }
  }

  /** Asks for the report of each month up to now, and compares it with what was seen. */
  async assertReports(): Promise<void> {
    const at = new Date(this.#time.nowMs)
    for (const back of [0, 1, 2]) {
      const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - back)).toISOString().slice(0, 7)
      const { months, categories, purged, wait } = await readReport(this.#store, monthOf(month), this.#time.nowMs)
      assert.equal(months[0], month)
      assert.deepEqual({ month, wait }, { month, wait: this.#waiting() })
      for (const [n, one] of months.entries()) {
        const lines = categories.map(({ categoryId, counts }) => ({ categoryId, ...counts[n] }))
        const used = lines.filter((line) => COUNTED.some((column) => line[column] !== 0))
        const expected = this.#moved(one)
        assert.deepEqual({ month: one, categories: used }, { month: one, categories: expected.categories })
        if (n === 0) assert.deepEqual({ month, purged }, { month, purged: expected.purged })
      }
    }
  }

  #moved(month: string) {
    const span = monthOf(month) ?? assert.fail(month)
    const { fromMs, untilMs } = spanOf(span, this.#zone)
    const lines = new Map<string, Record<keyof ReportCounts, number>>()
    const add = (categoryId: bigint, column: keyof ReportCounts) => {
      const line = lines.get(`${categoryId}`) ?? { in: 0, imported: 0, sold: 0, removed: 0 }
      line[column] += 1
      lines.set(`${categoryId}`, line)
    }
    const purged = { in: 0, out: 0 }
    for (const { seen, says, isPurged, notedAtMs, day, isImported } of this.#lives.values()) {
      for (const [n, now] of seen.entries()) {
        // The day of a list counts from the first record to the list itself.
        const begun = Math.floor(BEGUN_MS / DAY_MS)
        const isDated = day !== undefined && day >= begun && day * DAY_MS < now.atMs + DAY_MS
        const isOfMonth =
          now.isArrival && isDated
            ? new Date(day * DAY_MS).toISOString().startsWith(month)
            : fromMs <= now.atMs && now.atMs < untilMs
        if (!isOfMonth || (now.isArrival && notedAtMs === undefined)) continue
        const before = seen[n - 1]
        const wasThere = before?.categoryId !== undefined
        const isThere = now.categoryId !== undefined
        const did = wasThere && before.status !== 'sold'
        const does = isThere && now.status !== 'sold'
        const isLost = isPurged && (!says.status ? wasThere !== isThere : !says.category && did !== does)
        if (isLost) purged[does || !wasThere ? 'in' : 'out'] += 1
        else if (isPurged && !says.status) continue
        else if (!did && does) add(now.categoryId, now.isArrival && isImported && !isDated ? 'imported' : 'in')
        else if (did && !does) add(before.categoryId, isThere ? 'sold' : 'removed')
      }
    }
    const categories = [...lines].sort().map(([categoryId, line]) => ({ categoryId, ...line }))
    return { categories, purged }
  }

  #waiting(): MonthReport['wait'] {
    const days: number[] = []
    const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(this.#time.nowMs).toZonedDateTimeISO(
      this.#zone,
    )
    const dayOf = (atMs: number) => Math.floor((atMs + offsetNanoseconds / 1e6) / DAY_MS)
    const counts = { available: 0, pending: 0, none: 0 }
    let unknown = 0
    let imported = 0
    for (const { seen, notedAtMs, day, isImported } of this.#lives.values()) {
      const last = seen.at(-1)
      if (last?.categoryId === undefined || last.status === 'sold') continue
      counts[last.status ?? 'none'] += 1
      const arrived = day ?? (isImported || notedAtMs === undefined ? undefined : dayOf(notedAtMs))
      const returnedMs = lastReturn(seen)
      const returned = returnedMs === undefined ? undefined : dayOf(returnedMs)
      const since = returned !== undefined && returned >= (arrived ?? 0) ? returned : arrived
      if (isImported && since === undefined) imported += 1
      if (since === undefined) unknown += 1
      else days.push(dayOf(this.#time.nowMs) - since)
    }
    days.sort((a, b) => b - a)
    const [longestDays, medianDays] = [days[0], days[Math.ceil(days.length / 2) - 1]]
    return { ...counts, known: days.length, unknown, imported, medianDays, longestDays }
  }
}

/** What an undo changes is what was done to an animal that nobody has changed since: it was never so. */
function see(life: Life, { does }: Step, now: Seen): void {
  const { seen, reverted } = life
  life.reverted = undefined
  const isBack = does === 'revert' && reverted !== undefined
  if (does === 'undo' || (does === 'revert' && !isBack)) life.reverted = seen.pop()
  else seen.push(isBack ? reverted : now)
}

/** When an animal last came back, by what was seen: it was sold, or a list had it without a status, and it waits again. */
function lastReturn(seen: readonly Seen[]): number | undefined {
  let returnedMs: number | undefined
  let away: 'gone' | 'missing' | undefined
  let before: Status | undefined
  for (const { atMs, sync, ...now } of seen) {
    if (now.categoryId === undefined || now.status === before) continue
    const isWaiting = now.status === 'available' || now.status === 'pending'
    if (isWaiting && away !== undefined && !(away === 'missing' && sync === 'listed')) returnedMs = atMs
    if (isWaiting) away = undefined
    else if (now.status === 'sold') away = sync === 'missing' ? 'missing' : 'gone'
    else if (sync !== undefined && before !== undefined) away = 'gone'
    before = now.status
  }
  return returnedMs
}

/** The day of an animal of the other system's list, by the number in its name. */
function listedOn(name: string): number | undefined {
  const n = Number(/\d+/.exec(name)?.[0] ?? 0)
  return n % 2 === 0 ? undefined : Math.floor(BEGUN_MS / DAY_MS) + 4 * (n - 3)
}

/** Four animals of the other system, from this one on. */
function listed(from: number, status: Status): readonly FileRow[] {
  return Array.from({ length: 4 }, (_, n) => {
    const reference = `A${from + n}`
    const [name, cameOn] = [`Luna ${reference}`, listedOn(reference)]
    const listed = { name, categoryId: BigInt((from + n) % 2), status, reference, line: n + 2 }
    return { ...listed, ...(cameOn !== undefined && { cameOn }) }
  })
}

/** Plays so many histories, each where the one before ended, and looks at the reports after each. */
export async function assertHistories(url: string, seed: number, histories: number): Promise<void> {
  const shelter = await Shelter.open(url, ZONES[seed % 2] ?? 'UTC')
  const drawn = fc.sample(fc.array(step, { minLength: 4, maxLength: 12 }), { seed, numRuns: histories })
  try {
    for (const [n, steps] of drawn.entries()) {
      await shelter.play(steps)
      await shelter.assertReports().catch((cause: unknown) => {
        throw new Error(`seed ${seed}, history ${n}`, { cause })
      })
    }
  } finally {
    await shelter.close()
  }
}
