/** Dates as lists have them, for comparing two rows of one animal only. */

/** The least year that a two-digit one can mean. */
const CENTURY = 2000

/** A column's dates as numbers in ascending order of time; -1 for what is none. */
export function dateReader(values: readonly string[]): (value: string) => number {
  // 13/11 and 13.11 have the day first; with slashes and nothing that decides, the month is.
  const firsts = values.flatMap((value) => /^\s*(\d{1,2})[/.-]\d{1,2}[/.-]\d{2,4}/.exec(value)?.[1] ?? [])
  const isDayFirst = firsts.some((first) => Number(first) > 12) || values.some((value) => /^\s*\d{1,2}\.\d/.test(value))
  return (value) => {
    const text = value.trim()
    const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})/.exec(text)
    if (iso !== null) return toNumber(iso[1], iso[2], iso[3], text.slice(iso[0].length))
    const [whole, a, b, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})/.exec(text) ?? []
    if (whole !== undefined) {
      const [month, day] = isDayFirst ? [b, a] : [a, b]
      return toNumber(year, month, day, text.slice(whole.length))
    }
    const ms = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms) ? -1 : new Date(ms).getUTCFullYear() * 1e4 + ms / 1e15
  }
}

/** The date, and behind its comma the time of the day. */
function toNumber(year = '', month = '', day = '', rest = ''): number {
  const [, hours = '0', minutes = '0', half = ''] = /(\d{1,2}):(\d{2})(?::[\d.]+)?\s*([ap])?/i.exec(rest) ?? []
  const hour = (Number(hours) % (half === '' ? 24 : 12)) + (half.toLowerCase() === 'p' ? 12 : 0)
  const whole = Number(year) < 100 ? Number(year) + CENTURY : Number(year)
  return whole * 1e4 + Number(month) * 100 + Number(day) + (hour * 60 + Number(minutes)) / 1e4
}
