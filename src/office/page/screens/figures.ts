/** Numbers for the dashboard: three digits and a unit, and spans of time. */

const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const SPANS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** As in "12.3 ms" and "4/s"; a dash if it could not be measured. */
export function figure(value: number | null | undefined, unit: string) {
  if (value === null || value === undefined) return '–'
  const number = figures.format(value)
  if (unit === '') return number
  return unit.startsWith('/') ? `${number}${unit}` : `${number} ${unit}`
}

/** A span in its largest unit, as in "3 hours". */
export function spanWord(ms: number) {
  const [length, name] = SPANS.find(([length]) => ms >= length) ?? [1_000, 'second']
  const n = Math.max(0, Math.floor(ms / length))
  return `${n} ${name}${n === 1 ? '' : 's'}`
}

/** The time of day with seconds, as in 14:31:05. */
export function exactTime(atMs: number) {
  return new Date(atMs).toLocaleTimeString('en-GB')
}
