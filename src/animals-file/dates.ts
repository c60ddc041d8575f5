/** Reads dates: numbers in any order, months by name, and the years of Japan, Thailand and Taiwan. */
import { fold } from '../common/fold.ts'
import { wordsFor } from './languages/language.ts'
import type { Order } from './mapping.ts'

export const DAY_MINUTES = 24 * 60
const LONGEST_DATE = 40
const monthKey = (word: string) => fold(word).replace(/\.$/, '')
const MONTHS = new Map<string, number>()
for (const months of wordsFor('months')) {
  for (const [n, names] of months.split(', ').entries())
    for (const name of names.split(' ').map(monthKey)) MONTHS.set(name, MONTHS.get(name) ?? n + 1)
}
/** The year before the first year of a Japanese era. */
const ERAS: Readonly<Record<string, number>> = { r: 2018, 令和: 2018, h: 1988, 平成: 1988, s: 1925, 昭和: 1925 }
const ERA = /^([rhs]|令和|平成|昭和)\s?(\d{1,2})[.年/-]\s?(\d{1,2})[.月/-]\s?(\d{1,2})日?/i
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?!\d)/
const YEAR_FIRST = /^(\d{3,4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})[日일]?(?!\d)/
const YEAR_LAST = /^(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?(\d{4}|\d{2})(?!\d)/
const TIME = /^.{0,3}?(\d{1,2}):(\d{2})(?::[\d.]{1,12})?\s?([ap])?/i

/** The three numbers of a date, their order unless it is ambiguous, and the rest of the text. */
type Written = readonly [numbers: readonly [number, number, number], order: Order | undefined, rest: string]

function written(cell: string): Written | undefined {
  const text = cell.trim()
  if (text.length > LONGEST_DATE) return undefined
  const [era, name = '', ...ofEra] = ERA.exec(text) ?? []
  const [begin = '', ...parts] =
    era === undefined ? (COMPACT.exec(text) ?? YEAR_FIRST.exec(text) ?? []) : [era, ...ofEra]
  const [year, month, day] = parts.map(Number)
  if (year !== undefined && month !== undefined && day !== undefined) {
    const whole = year + (ERAS[name.toLowerCase()] ?? 0)
    return [[whole, month, day], 'year first', text.slice(begin.length)]
  }
  const plain = YEAR_LAST.exec(text)
  if (plain === null) return byName(text)
  const [all, a, mark, b, last] = plain
  const isDay = Number(a) > 12 || mark === '.'
  const order = isDay ? 'day first' : Number(b) > 12 ? 'month first' : undefined
  return [[Number(a), Number(b), Number(last)], order, text.slice(all.length)]
}

/** "2 nov. 2026", "November 2nd, 2026", "2. November 2026". */
function byName(text: string): Written | undefined {
  const parts = text.split(/[\s,/-]+|(?<=\d)\.(?=\s|$)/).filter((part) => part !== undefined && part !== '')
  const words = parts.filter((part) => !/^(?:de|del|of|den|the|\p{L}{2,9}day|\.)$/iu.test(part)).slice(0, 5)
  const months = words.map((word) => MONTHS.get(monthKey(word)))
  const at = months.slice(0, 3).findIndex((month) => month !== undefined)
  if (at === -1) return undefined
  const numbers = words.filter((_, n) => n !== at).map((word) => /^(\d{1,4})(?:st|nd|rd|th|er|º|\.)?$/.exec(word)?.[1])
  const [day, year] = numbers.slice(0, 2).map(Number)
  if (day === undefined || year === undefined || Number.isNaN(day + year) || day > 31) return undefined
  // Such a date says nothing about the order of others.
  return [[year, months[at] ?? 0, day], 'year first', words.slice(3).join(' ')]
}

/** The order of day and month in a text: undefined if it has none, `either` if both are possible. */
export function orderOf(text: string): Order | 'either' | undefined {
  const [[first, second] = [], order] = written(text) ?? []
  if (first === undefined || !isDate(text)) return undefined
  return order ?? (first === second ? undefined : 'either')
}

/** In minutes since 1970, UTC; -1 for a text that is not a date, or that databases write for none. */
export function toMinutes(text: string, asked: Order): number {
  const found = written(text)
  if (found === undefined) return -1
  const [[a, b, c], shown, rest] = found
  const order = shown ?? asked
  const [year, month, day] = order === 'year first' ? [a, b, c] : order === 'day first' ? [c, b, a] : [c, a, b]
  const whole = wholeYear(year, shown === 'year first')
  if (month < 1 || month > 12 || day < 1 || day > 31 || whole < 1901) return -1
  const [, hours = '0', minutes = '0', half = ''] = TIME.exec(rest) ?? []
  const hour = (Number(hours) % (half === '' ? 24 : 12)) + (half.toLowerCase() === 'p' ? 12 : 0)
  return Date.UTC(whole, month - 1, day, hour, Number(minutes)) / 60_000
}

export function isDate(text: string): boolean {
  return toMinutes(text, 'day first') !== -1 || toMinutes(text, 'month first') !== -1
}

/** Two digits mean this century, years above 2400 are Buddhist, and three digits are years of the Republic of China. */
function wholeYear(year: number, isFirst: boolean): number {
  if (year > 2400 && year < 2700) return year - 543
  if (year >= 100 && year < 200) return isFirst ? year + 1911 : 0
  return year < 100 ? year + 2000 : year
}
