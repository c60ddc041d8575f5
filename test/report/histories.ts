/**
 * Random histories of a shelter's animals, and a report by somebody who has looked after each act: who came in and went
 * out is found by comparing what was there before and after, and nothing of it is read from the journal.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/clock.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import { type MonthReport, monthOf, readReport } from '../../src/domain/report.ts'
import type { Author } from '../../src/store/author.ts'
import { openStore } from '../../src/store/open.ts'
import type { FileRow } from '../../src/store/staging.ts'
import type { Store } from '../../src/store/store.ts'
import { PLAIN_IMPORT } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'

type Status = PetStatus | null

interface Place {
  readonly categoryId: bigint
  readonly status: Status
}

/** After an act; no category while it was not there. What its entry says is known of an animal that is purged. */
type Seen = (Place | { readonly categoryId: undefined }) & {
  readonly atMs: number
  readonly says: { readonly status: boolean; readonly category: boolean }
}

/** An animal as it was seen after each act that changed it and was not undone. */
interface Life {
  /** Undefined if no key, person or import says it. */
  readonly cameAtMs: number | undefined
  /** Of what an import brought, only what its list says; of others when they came. */
  readonly arrivedAtMs: number | undefined
  readonly isImported: boolean
  readonly seen: Seen[]
  isPurged: boolean
}

type Step =
  | { readonly does: 'create'; readonly key: string | undefined; readonly status: Status; readonly animals: number }
  | { readonly does: 'add' | 'edit' | 'set'; readonly status: Status; readonly which: number }
  | { readonly does: 'remove' | 'restore' | 'undo' | 'gather'; readonly which: number }
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
      does: fc.constantFrom('remove' as const, 'restore' as const, 'undo' as const, 'gather' as const),
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

class Shelter {
  readonly #store: Store
  readonly #time: { nowMs: number }
  readonly #lives = new Map<string, Life>()
  #forms = 0

  static async open(url: string): Promise<Shelter> {
    const time = { nowMs: Date.UTC(2026, 9, 29, 22) }
    return new Shelter(await openStore(url, { serving: true, clock: clockAt(() => time.nowMs) }), time)
  }

  private constructor(store: Store, time: { nowMs: number }) {
    this.#store = store
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
    const { records, imports, origins, pets } = this.#store
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
    if (one.does === 'import')
      await imports.add(once(Array.from({ length: one.animals }, () => ({ ...pet, ...dayOf(one.animals) }))), {
        ...PLAIN_IMPORT,
        by,
      })
    if (one.does === 'sync') {
      const options = {
        by,
        source: 'list',
        missing: one.missing,
        adopts: true,
        maxChangedShare: 1,
        dryRun: false,
      } as const
      await this.#store.sync.run(once(listed(one.from, one.status)), options)
    }
    if (one.does === 'undo') {
      const all = await imports.list(100)
      const n = all.at(one.which % (all.length || 1))?.n
      if (n !== undefined) await imports.undo(n, by)
    }
    if (one.does === 'gather') {
      const n = await origins.groupAsImport('key_a', this.#time.nowMs - (one.which % 20) * DAY_MS, by)
      if (n !== undefined && one.which % 2 === 0) await imports.undo(n, by)
    }
    if (one.does === 'purge') {
      for (let day = 0; day < 31; day += 1) {
        this.#time.nowMs += DAY_MS
        await records.purge(this.#time.nowMs - 30 * DAY_MS, { who: 'Ada', atMs: this.#time.nowMs })
      }
    }
  }

  /** Compares what is there with what was. */
  async #look(one: Step): Promise<void> {
    if (one.does === 'wait') return
    const atMs = this.#time.nowMs
    // What an undo changes is what its import or list did to an animal that nobody has changed since: it was never so.
    const isUndo = one.does === 'undo' || one.does === 'gather'
    const there = new Map<string, Place>()
    const names = new Map<string, string>()
    for await (const batch of this.#store.pets.export()) {
      for (const { id, name, categoryId, status = null } of batch) {
        there.set(id, { categoryId: BigInt(categoryId), status })
        names.set(id, name)
      }
    }
    for (const [id, { categoryId, status }] of there) {
      const life = this.#lives.get(id)
      const last = life?.seen.at(-1)
      if (life === undefined) {
        const isNoted = one.does !== 'create' || one.key !== undefined
        const isSaid = one.does === 'add' || one.does === 'sync'
        const isImported = one.does === 'import' || one.does === 'sync'
        const says = { status: isSaid, category: isSaid }
        this.#lives.set(id, {
          cameAtMs: isNoted ? atMs : undefined,
          arrivedAtMs: isImported ? arrivalBy(one, names.get(id) ?? '') : isNoted ? atMs : undefined,
          isImported,
          seen: [{ atMs, categoryId, status, says }],
          isPurged: false,
        })
      } else if (last?.categoryId !== categoryId || last.status !== status) {
        const before = life.seen.findLast((seen) => seen.categoryId !== undefined)
        const says = {
          category: before?.categoryId !== undefined && before.categoryId !== categoryId,
          status: before?.categoryId !== undefined && before.status !== status,
        }
        if (isUndo) life.seen.pop()
        else life.seen.push({ atMs, categoryId, status, says })
      }
    }
    for (const [id, life] of this.#lives) {
      if (!there.has(id) && life.seen.at(-1)?.categoryId !== undefined) {
        if (isUndo) life.seen.pop()
        else life.seen.push({ atMs, categoryId: undefined, says: { status: false, category: false } })
      }
      if (one.does === 'purge' && !life.isPurged && (await this.#store.records.get(BigInt(id))) === undefined) {
        life.isPurged = true
      }
    }
  }

  /** Asks for the report of each month up to now, and compares it with what was seen. */
  async assertReports(): Promise<void> {
    const at = new Date(this.#time.nowMs)
    for (const back of [0, 1, 2]) {
      const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - back)).toISOString().slice(0, 7)
      const report = await readReport(this.#store, month, this.#time.nowMs)
      const { fromMs = 0, untilMs = 0 } = monthOf(month, report.zone) ?? {}
      const { categories, purged, wait } = report
      assert.deepEqual({ month, categories, purged, wait }, { month, ...this.#expected(fromMs, untilMs) })
    }
  }

  #expected(fromMs: number, untilMs: number): Pick<MonthReport, 'categories' | 'purged' | 'wait'> {
    const lines = new Map<bigint, Record<'available' | 'pending' | 'none' | 'sold' | 'removed', number>>()
    const add = (categoryId: bigint, column: 'available' | 'pending' | 'none' | 'sold' | 'removed') => {
      const line = lines.get(categoryId) ?? { available: 0, pending: 0, none: 0, sold: 0, removed: 0 }
      line[column] += 1
      lines.set(categoryId, line)
    }
    const purged = { in: 0, out: 0 }
    const days: number[] = []
    const counts = { available: 0, pending: 0, none: 0 }
    let unknown = 0
    let imported = 0
    for (const life of this.#lives.values()) {
      const { seen, isPurged, cameAtMs, arrivedAtMs, isImported } = life
      const says = { status: seen.some((one) => one.says.status), category: seen.some((one) => one.says.category) }
      for (const [n, now] of seen.entries()) {
        if (now.atMs < fromMs || now.atMs >= untilMs || (n === 0 && cameAtMs === undefined)) continue
        const before = seen[n - 1]
        const wasThere = before?.categoryId !== undefined
        const isThere = now.categoryId !== undefined
        const did = wasThere && before.status !== 'sold'
        const does = isThere && now.status !== 'sold'
        const isLost = isPurged && (!says.status ? wasThere !== isThere : !says.category && did !== does)
        if (isLost) purged[does || !wasThere ? 'in' : 'out'] += 1
        else if (!(isPurged && !says.status) && !did && does) add(now.categoryId, now.status ?? 'none')
        else if (!(isPurged && !says.status) && did && !does) add(before.categoryId, isThere ? 'sold' : 'removed')
      }
      const last = seen.at(-1)
      if (last?.categoryId === undefined || last.status === 'sold') continue
      counts[last.status ?? 'none'] += 1
      if (isImported && arrivedAtMs === undefined) imported += 1
      if (arrivedAtMs === undefined) unknown += 1
      else days.push(Math.floor(this.#time.nowMs / DAY_MS) - Math.floor(arrivedAtMs / DAY_MS))
    }
    days.sort((a, b) => b - a)
    const categories = [...lines]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([categoryId, line]) => ({ categoryId, ...line }))
    const [longestDays, medianDays] = [days[0], days[Math.ceil(days.length / 2) - 1]]
    return { categories, purged, wait: { ...counts, known: days.length, unknown, imported, medianDays, longestDays } }
  }
}

/** Some lists say on which day their animals came. */
function dayOf(n: number): { readonly cameOn?: number } {
  return n % 2 === 0 ? {} : { cameOn: 20_000 + n }
}

function arrivalBy(one: Step, name: string): number | undefined {
  const { cameOn } = dayOf(one.does === 'import' ? one.animals : Number(/\d+/.exec(name)?.[0] ?? 0))
  return cameOn === undefined ? undefined : cameOn * DAY_MS
}

async function* once<T>(rows: readonly T[]): AsyncIterable<readonly T[]> {
  yield rows
}

/** Four animals of the other system, from this one on. */
function listed(from: number, status: Status): readonly FileRow[] {
  return Array.from({ length: 4 }, (_, n) => {
    const reference = `A${from + n}`
    return {
      name: `Luna ${reference}`,
      categoryId: BigInt((from + n) % 2),
      status,
      reference,
      line: n + 2,
      ...dayOf(from + n),
    }
  })
}

/** Plays so many histories, each where the one before ended, and looks at the reports after each. */
export async function assertHistories(url: string, seed: number, histories: number): Promise<void> {
  const shelter = await Shelter.open(url)
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
