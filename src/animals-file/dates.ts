/** Reads dates as lists write them: numbers in any order, months by name, and the years of Japan, Thailand and Taiwan. */
import { fold } from '../common/fold.ts'
import { LANGUAGES } from './languages/index.ts'
import type { Order } from './mapping.ts'

const LONGEST_DATE = 40
const MONTHS = new Map<string, number>()
for (const { months = '' } of LANGUAGES) {
  for (const [n, names] of months.split(',').entries()) {
    for (const name of fold(names).split(' ')) if (!MONTHS.has(name)) MONTHS.set(name, n + 1)
  }
}
const THAI = ['มกราคม ม.ค.', 'กุมภาพันธ์ ก.พ.', 'มีนาคม มี.ค.', 'เมษายน เม.ย.', 'พฤษภาคม พ.ค.', 'มิถุนายน มิ.ย.']
THAI.push('กรกฎาคม ก.ค.', 'สิงหาคม ส.ค.', 'กันยายน ก.ย.', 'ตุลาคม ต.ค.', 'พฤศจิกายน พ.ย.', 'ธันวาคม ธ.ค.')
for (const [n, names] of THAI.entries()) for (const name of names.split(' ')) MONTHS.set(name, n + 1)

/** The years before the first of a Japanese era. */
const ERAS: Readonly<Record<string, number>> = { r: 2018, 令和: 2018, h: 1988, 平成: 1988, s: 1925, 昭和: 1925 }

/** The three numbers of a date as they are written, and what follows. */
interface Written {
  readonly numbers: readonly [number, number, number]
  /** Undefined if the text can be read in several ways. */
  readonly order: Order | undefined
  readonly rest: string
}

function written(text: string): Written | undefined {
  if (text.length > LONGEST_DATE) return undefined
  const era = /^([rhs]|令和|平成|昭和)\s?(\d{1,2})[.年/-]\s?(\d{1,2})[.月/-]\s?(\d{1,2})日?/i.exec(text)
  if (era !== null) {
    const [whole, name = '', year, month, day] = era
    const first = (ERAS[name.toLowerCase()] ?? 0) + Number(year)
    return { numbers: [first, Number(month), Number(day)], order: 'year first', rest: text.slice(whole.length) }
  }
  const compact = /^(\d{4})(\d{2})(\d{2})(?!\d)/.exec(text)
  const yearFirst = compact ?? /^(\d{3,4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})[日일]?(?!\d)/.exec(text)
  if (yearFirst !== null) return toWritten(yearFirst, 'year first', text)
  const plain = /^(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?(\d{4}|\d{2})(?!\d)/.exec(text)
  if (plain !== null) {
    const [whole, a, mark, b, year] = plain
    const [first, second] = [Number(a), Number(b)]
    const isDay = first > 12 || mark === '.'
    const order = isDay ? 'day first' : second > 12 ? 'month first' : undefined
    return { numbers: [first, second, Number(year)], order, rest: text.slice(whole.length) }
  }
  return byName(text)
}

function toWritten([whole, a, b, c]: RegExpExecArray, order: Order, text: string): Written {
  return { numbers: [Number(a), Number(b), Number(c)], order, rest: text.slice(whole.length) }
}

/** "2 nov. 2026", "November 2nd, 2026", "2. November 2026". */
function byName(text: string): Written | undefined {
  const parts = text.split(/[\s,/-]+|(?<=\d)\.(?=\s|$)/).filter((part) => part !== undefined && part !== '')
  const words = parts.filter((part) => !/^(?:de|del|of|den|the|\p{L}{2,9}day|\.)$/iu.test(part)).slice(0, 5)
  const at = words.findIndex((word, n) => n < 3 && monthOf(word) !== undefined)
  if (at === -1) return undefined
  const numbers = words.filter((_, n) => n !== at).map((word) => /^(\d{1,4})(?:st|nd|rd|th|er|º|\.)?$/.exec(word)?.[1])
  const [day, year] = numbers.slice(0, 2).map(Number)
  if (day === undefined || year === undefined || Number.isNaN(day + year) || day > 31) return undefined
  const rest = words.slice(3).join(' ')
  return { numbers: [day, monthOf(words[at] ?? '') ?? 0, year], order: 'day first', rest }
}

function monthOf(word: string): number | undefined {
  if (!/^\p{L}/u.test(word)) return undefined
  const folded = fold(word)
  return MONTHS.get(folded) ?? MONTHS.get(folded.replace(/\.$/, ''))
}

/** How a text settles the order of day and month: undefined if it is no date, `either` if it does not. */
export function orderOf(text: string): Order | 'either' | undefined {
  const found = written(text.trim())
  if (found === undefined || minutesOf(found, 'day first') + minutesOf(found, 'month first') === -2) return undefined
  const { numbers } = found
  return found.order ?? (numbers[0] === numbers[1] ? undefined : 'either')
}

/** In minutes since 1970, in UTC; -1 if it is not a date, or what a database writes for none. */
export function toMinutes(text: string, order: Order): number {
  const found = written(text.trim())
  return found === undefined ? -1 : minutesOf(found, order)
}

export function isDate(text: string): boolean {
  const found = written(text.trim())
  return found !== undefined && (minutesOf(found, 'day first') !== -1 || minutesOf(found, 'month first') !== -1)
}

function minutesOf({ numbers, order: own, rest }: Written, asked: Order): number {
  const order = own ?? asked
  const [a, b, c] = numbers
  const [year, month, day] = order === 'year first' ? [a, b, c] : order === 'day first' ? [c, b, a] : [c, a, b]
  const whole = wholeYear(year, own === 'year first')
  if (month < 1 || month > 12 || day < 1 || day > 31 || whole < 1901) return -1
  const [, hours = '0', minutes = '0', half = ''] =
    /^.{0,3}?(\d{1,2}):(\d{2})(?::[\d.]{1,12})?\s?([ap])?/i.exec(rest) ?? []
  const hour = (Number(hours) % (half === '' ? 24 : 12)) + (half.toLowerCase() === 'p' ? 12 : 0)
  return Date.UTC(whole, month - 1, day, hour, Number(minutes)) / 60_000
}

/** Of two digits this century; above 2400 Buddhist; of three digits the years of the Republic of China. */
function wholeYear(year: number, isFirst: boolean): number {
  if (year > 2400 && year < 2700) return year - 543
  if (year >= 100 && year < 200) return isFirst ? year + 1911 : 0
  return year < 100 ? year + 2000 : year
}
