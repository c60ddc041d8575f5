/** Looks at all rows of a table once: what the values of each column are, and how dates are written. */
import { LONGEST_WORD, MOST_ROWS, VALUES_OF_ALL, VALUES_OF_COLUMN } from './bounds.ts'
import { isDate, orderOf, toMinutes } from './dates.ts'
import { UnreadableFile } from './file-errors.ts'
import type { Order } from './mapping.ts'
import { skippedAs } from './skipped.ts'
import type { Table } from './table.ts'

const SAMPLES = 3
const DAY_MINUTES = 24 * 60

/** A value as it was written first, and how often it is there. */
type Counted = { readonly value: string; rows: number }

/** What the cells of a column are. */
export class Column {
  readonly at: number
  readonly heading: string
  filled = 0
  empty = 0
  /** Rows whose value was there already. */
  repeated = 0
  dates = 0
  /** Whether there are more different values than are counted. */
  isFull = false
  /** Whether the values are 1, 2, 3 … */
  isCount = true
  /** Cells that are no dates, counted up to a few. */
  notDates = 0
  readonly values = new Map<string, Counted>()
  readonly #most: number
  #last = 0

  constructor(at: number, heading: string, most: number) {
    this.at = at
    this.heading = heading
    this.#most = most
  }

  /** Returns whether it is the first such value. */
  add(cell: string): boolean {
    if (cell === '' || cell.trim() === '') {
      this.empty += 1
      return false
    }
    this.filled += 1
    const value = cell.length > LONGEST_WORD ? cell.slice(0, LONGEST_WORD) : cell
    if (this.isCount) {
      const n = Number(value)
      this.isCount = n === 1 || n === this.#last + 1
      this.#last = n
    }
    const counted = this.values.get(value)
    if (counted !== undefined) {
      counted.rows += 1
      this.repeated += 1
      return false
    }
    if (this.values.size < this.#most) this.values.set(value, { value, rows: 1 })
    else this.isFull = true
    return true
  }

  /** The most frequent first. */
  get all(): readonly Counted[] {
    return [...this.values.values()].sort((a, b) => b.rows - a.rows)
  }

  get samples(): readonly string[] {
    return [...this.values.values()].slice(0, SAMPLES).map(({ value }) => value.slice(0, 40))
  }

  /** The share of the different values of which this is so. */
  share(isSo: (value: string) => boolean): number {
    let so = 0
    let all = 0
    for (const { value, rows } of this.values.values()) {
      all += rows
      if (isSo(value)) so += rows
    }
    return so / Math.max(1, all)
  }
}

export interface Scan {
  readonly columns: readonly Column[]
  readonly rows: number
  /** Rows of one cell, as "DOGS" above the dogs. */
  readonly titles: readonly string[]
  /** The order that the dates of the file settle; undefined if they do not, `mixed` if they contradict each other. */
  order(columns: readonly number[], nowMs: number): Order | 'mixed' | undefined
  /** Whether dates of these columns can be read in several orders. */
  hasEither(columns: readonly number[]): boolean
}

export async function scan({ layout, items }: Table): Promise<Scan> {
  const { header, headerLine } = layout
  const most = Math.min(VALUES_OF_COLUMN, Math.ceil(VALUES_OF_ALL / Math.max(1, header.length)))
  const columns = header.map((heading, at) => new Column(at, heading, most))
  // The orders that dates of a column settle, and dates of it that can be read in several.
  const orders = header.map(() => new Set<Order>())
  const eithers = header.map((): string[] => [])
  let rows = 0
  const titles: string[] = []
  for await (const some of items()) {
    for (const item of some) {
      if (item.line <= headerLine || !('record' in item)) continue
      if (skippedAs(item.record, item.line, layout) !== undefined) {
        if (titles.length < TITLES) titles.push(...onlyCell(item.record))
        continue
      }
      rows += 1
      if (rows > MOST_ROWS) throw new UnreadableFile(`The file has more than ${MOST_ROWS} rows; divide it.`)
      for (const [at, column] of columns.entries()) {
        const cell = item.record[at]
        if (cell === undefined) break
        if (!column.add(cell)) continue
        // Of a column that begins without dates the rest is not looked at.
        if (column.dates === 0 && column.values.size > 200) continue
        const order = /\d/.test(cell.slice(0, 40)) ? orderOf(cell) : undefined
        const isOne = order !== undefined || isDate(cell)
        if (isOne) column.dates += 1
        else if (column.notDates < SAMPLES) column.notDates += 1
        if (order === 'either') {
          if ((eithers[at]?.length ?? 0) < 1_000) eithers[at]?.push(cell)
        } else if (order !== undefined && order !== 'year first') {
          orders[at]?.add(order)
        }
      }
    }
  }
  const hasEither = (some: readonly number[]) => some.some((at) => (eithers[at]?.length ?? 0) > 0)
  return {
    columns,
    rows,
    titles,
    hasEither,
    order(some, nowMs) {
      const of = (columns: readonly number[]) => new Set(columns.flatMap((at) => [...(orders[at] ?? [])]))
      const own = of(some)
      const settled = own.size > 0 ? own : of([...header.keys()])
      if (settled.size > 1) return 'mixed'
      const [order] = settled
      const cells = some.flatMap((at) => eithers[at] ?? [])
      return order ?? byFuture(cells, nowMs / 60_000 + DAY_MINUTES) ?? bySpread(cells)
    },
  }
}

const TITLES = 50

function onlyCell(record: readonly string[]): readonly string[] {
  const filled = record.filter((cell) => cell.trim() !== '')
  return filled.length === 1 ? filled.map((cell) => cell.slice(0, LONGEST_WORD)) : []
}

/** Whether rows with one value in `by` have one value in `column` too, so that it does not tell which is the latest. */
export async function hasTies({ layout, items }: Table, by: number, column: number): Promise<boolean> {
  const seen = new Map<string, string>()
  for await (const some of items()) {
    for (const item of some) {
      if (item.line <= layout.headerLine || !('record' in item)) continue
      const [key = '', value = ''] = [item.record[by], item.record[column]]
      if (key !== '' && seen.get(key) === value) return true
      if (seen.size < VALUES_OF_ALL) seen.set(key, value)
    }
  }
  return false
}

/** The order in which no date lies in the future, if some do in the other one. */
function byFuture(cells: readonly string[], now: number): Order | undefined {
  const future = (order: Order) => cells.some((cell) => toMinutes(cell, order) > now)
  const [day, month] = [future('day first'), future('month first')]
  if (day === month) return undefined
  return day ? 'month first' : 'day first'
}

const LEAST_SPREAD = 4

/** The order in which the dates are days of some weeks, if in the other one they are days of far more months. */
function bySpread(cells: readonly string[]): Order | undefined {
  const spread = (order: Order) => {
    const all = cells.map((cell) => toMinutes(cell, order))
    return (
      all.reduce((most, one) => Math.max(most, one), -Infinity) -
      all.reduce((least, one) => Math.min(least, one), Infinity)
    )
  }
  const [day, month] = [spread('day first'), spread('month first')]
  if (cells.length < LEAST_SPREAD) return undefined
  if (day * LEAST_SPREAD < month) return 'day first'
  return month * LEAST_SPREAD < day ? 'month first' : undefined
}
