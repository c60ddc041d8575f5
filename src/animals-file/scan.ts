/** Reads all rows of a table once, for the values of each column and the form of dates. */
import { LONGEST_WORD, MOST_ROWS, VALUES_OF_ALL, VALUES_OF_COLUMN } from './bounds.ts'
import { DAY_MINUTES, isDate, orderOf, toMinutes } from './dates.ts'
import { UnreadableFile } from './file-errors.ts'
import { skippedAs } from './layout.ts'
import type { Order } from './mapping.ts'
import { isNothing } from './statuses.ts'
import type { Table } from './table.ts'

const SAMPLES = 3
const TITLES = 50
const DATES_KEPT = 1_000
/** A column is not scanned for dates if its first different values are not dates. */
const VALUES_TRIED = 200
const LEAST_SPREAD = 4

export class Column {
  readonly heading: string
  filled = 0
  empty = 0
  /** The most different dates of a column; fewer other values are counted. */
  dates = 0
  readonly notDates: string[] = []
  isFull = false
  /** Rows by value. */
  readonly values = new Map<string, number>()
  /** The orders of day and month that dates show, and ambiguous dates. */
  readonly orders = new Set<Order>()
  readonly eithers: string[] = []
  readonly #most: number

  constructor(heading: string, most: number) {
    this.heading = heading
    this.#most = most
  }

  add(cell: string): void {
    if (cell === '' || cell.trim() === '') {
      this.empty += 1
      return
    }
    this.filled += 1
    const value = cell.slice(0, LONGEST_WORD)
    const rows = this.values.get(value) ?? 0
    if (rows > 0 || this.values.size < this.#most) this.values.set(value, rows + 1)
    else this.isFull = true
    if (rows === 0 && (this.dates > 0 || this.values.size <= VALUES_TRIED)) this.#addDate(value)
  }

  #addDate(value: string): void {
    const order = orderOf(value)
    if (order !== undefined || isDate(value)) this.dates += 1
    else if (this.notDates.length < SAMPLES && !isNothing(value)) this.notDates.push(value)
    if (order === 'either' && this.eithers.length < DATES_KEPT) this.eithers.push(value)
    if (order === 'day first' || order === 'month first') this.orders.add(order)
  }

  get all() {
    return [...this.values].map(([value, rows]) => ({ value, rows })).sort((a, b) => b.rows - a.rows)
  }

  get counted(): number {
    return this.values.values().reduce((sum, rows) => sum + rows, 0)
  }

  get samples(): string {
    const some = [...this.values.keys()].slice(0, SAMPLES)
    return some.map((value) => value.slice(0, 40)).join(', ')
  }

  share(isSo: (value: string) => boolean): number {
    const rows = this.values.entries().reduce((sum, [value, rows]) => sum + (isSo(value) ? rows : 0), 0)
    return rows / Math.max(1, this.counted)
  }
}

export type Scan = Awaited<ReturnType<typeof scan>>

export async function scan({ layout, items }: Table) {
  const { header, headerLine } = layout
  const most = Math.min(VALUES_OF_COLUMN, Math.ceil(VALUES_OF_ALL / Math.max(1, header.length)))
  const columns = header.map((heading) => new Column(heading, most))
  // Such as "DOGS" above the dogs.
  const titles: string[] = []
  let rows = 0
  for await (const some of items()) {
    for (const item of some) {
      if (item.line <= headerLine || !('record' in item)) continue
      if (skippedAs(item.record, item.line, layout) !== undefined) {
        const filled = item.record.filter((cell) => cell.trim() !== '')
        if (titles.length < TITLES && filled.length === 1) titles.push(filled.join('').slice(0, LONGEST_WORD))
        continue
      }
      rows += 1
      if (rows > MOST_ROWS) throw new UnreadableFile(`The file has more than ${MOST_ROWS} rows; divide it.`)
      // A row that is too short is invalid, and says nothing about the missing columns.
      for (const [at, cell] of item.record.entries()) columns[at]?.add(cell)
    }
  }
  return { columns, rows, titles }
}

/** The order of day and month in some columns: undefined if nothing shows it, `mixed` if dates contradict it. */
export function settledOrder(some: readonly Column[], { columns }: Scan, nowMs: number): Order | 'mixed' | undefined {
  const own = new Set(some.flatMap(({ orders }) => [...orders]))
  const [order, ...others] = own.size > 0 ? own : new Set(columns.flatMap(({ orders }) => [...orders]))
  if (others.length > 0) return 'mixed'
  const cells = some.flatMap(({ eithers }) => eithers)
  return order ?? byFuture(cells, nowMs / 60_000 + DAY_MINUTES) ?? bySpread(cells)
}

function byFuture(cells: readonly string[], now: number): Order | undefined {
  const future = (order: Order) => cells.some((cell) => toMinutes(cell, order) > now)
  const [day, month] = [future('day first'), future('month first')]
  return day === month ? undefined : day ? 'month first' : 'day first'
}

/** The order in which the dates span some weeks, if the other spans far more months. */
function bySpread(cells: readonly string[]): Order | undefined {
  const spread = (order: Order) => {
    const all = cells.map((cell) => toMinutes(cell, order)).sort((a, b) => a - b)
    return (all.at(-1) ?? 0) - (all[0] ?? 0)
  }
  const [day, month] = [spread('day first'), spread('month first')]
  if (cells.length < LEAST_SPREAD) return undefined
  return day * LEAST_SPREAD < month ? 'day first' : month * LEAST_SPREAD < day ? 'month first' : undefined
}
