/** Reads dates as lists write them. */

const YEAR_OF_NONE = String.raw`(?:0\d{3}|1[0-8]\d\d|1900)`
const NO_DATE = new RegExp(
  String.raw`^(?:${YEAR_OF_NONE}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2${YEAR_OF_NONE})(?:[T\s].*)?$`,
)

/** Whether it is what a database writes for no date: 0000-00-00, 0001-01-01, 1899-12-30 and 1900-01-01 are usual. */
export function isNoDate(text: string): boolean {
  return NO_DATE.test(text)
}

/** A reader of a column's dates in minutes, in UTC; -1 if a value is not a date. `values` decide the order of day and month. */
export function dateReader(values: Iterable<string>): (value: string) => number {
  // The day comes first in 13/11 and 13.11. If no value decides, as in 3/11, the month does.
  let isDayFirst = false
  for (const value of values) {
    const [, first = '', mark] = /^\s*(\d{1,2})([/.-])\d{1,2}[/.-]\d{2}/.exec(value) ?? []
    if (Number(first) > 12 || mark === '.') isDayFirst = true
  }
  return (value) => {
    const text = value.trim()
    if (isNoDate(text)) return -1
    const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)/.exec(text)
    if (iso !== null) return toMinutes(iso[1], iso[2], iso[3], text.slice(iso[0].length))
    const [whole, a, b, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?!\d)/.exec(text) ?? []
    if (whole !== undefined) {
      const [month, day] = isDayFirst ? [b, a] : [a, b]
      return toMinutes(year, month, day, text.slice(whole.length))
    }
    const ms = /^\p{L}{3,9},? .{0,24}\d{4}|^\d{1,2}[ -]\p{L}{3,9}.{0,4}\d{4}/u.test(text)
      ? Date.parse(text)
      : Number.NaN
    return Number.isNaN(ms) ? -1 : Math.floor(ms / 60_000)
  }
}

function toMinutes(year = '', month = '', day = '', rest = ''): number {
  const [, hours = '0', minutes = '0', half = ''] =
    /^.{0,3}?(\d{1,2}):(\d{2})(?::[\d.]{1,12})?\s?([ap])?/i.exec(rest) ?? []
  const hour = (Number(hours) % (half === '' ? 24 : 12)) + (half.toLowerCase() === 'p' ? 12 : 0)
  const whole = Number(year) < 100 ? Number(year) + 2000 : Number(year)
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return -1
  return Date.UTC(whole, Number(month) - 1, Number(day), hour, Number(minutes)) / 60_000
}
