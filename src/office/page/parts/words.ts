/** Times, numbers, statuses, roles and failures in words. */

import { DAY_MS } from '../../../common/clock.ts'
import { PetStatus } from '../../../contract/schemas.ts'
import { NO_STATUS, plainWord } from '../../../rules/names.ts'
import { hasRole, type Role } from '../../../rules/roles.ts'
import { ungrouped } from '../../../rules/search.ts'
import type { Wait } from '../../../store/waits.ts'
import type { Animal, Status } from '../../office-data.ts'
import { CallFailed, currentSession, shownWords } from './api.ts'

export const LANGUAGES: readonly string[] = navigator.languages.filter((tag) => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
})

export const STATUSES: readonly Status[] = [...PetStatus.enum, null]

export function statusWord(status: Status) {
  return status === null ? NO_STATUS : (shownWords()[status] ?? plainWord(status))
}

export function capital(text: string) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

export function statusIn(status: Status) {
  return quoted(statusWord(status), 60, '')
}

export function count(n: number, one: string, many: string = `${one}s`) {
  return `${figure(n)} ${n === 1 ? one : many}`
}

export const figure: (n: number) => string = new Intl.NumberFormat('en').format

type Format = (atMs: number, zone?: string) => string

/** Formats times in the shelter's time zone, or another one if given. */
function formatOf(options: Intl.DateTimeFormatOptions): Format {
  const formats = new Map<string, Intl.DateTimeFormat>()
  const make = (timeZone: string) => new Intl.DateTimeFormat(LANGUAGES, { ...options, timeZone })
  return (atMs, zone = shelterZone()) => formats.getOrInsertComputed(zone, make).format(atMs)
}

export const timeOfDay: Format = formatOf({ timeStyle: 'short' })
const dayOfYear = formatOf({ day: 'numeric', month: 'long' })
export const dayInFull: Format = formatOf({ day: 'numeric', month: 'long', year: 'numeric' })
export const datedAt: Format = formatOf({ dateStyle: 'long', timeStyle: 'short' })

export const dayInUtc = (dayMs: number): string => dayOfYear(dayMs, 'UTC')

export function dateOf(atMs: number, timeZone: string = shelterZone()) {
  return new Date(atMs).toLocaleDateString('sv', { timeZone })
}

/** The Unix ms of 2026-03-03 (midnight) or 2026-03-03T14:31 in the zone; NaN if it cannot be read. */
export function instantOf(local: string, zone: string = shelterZone()) {
  const asUtcMs = Date.parse(local.includes('T') ? `${local}Z` : local)
  const ahead = (atMs: number) => Date.parse(`${new Date(atMs).toLocaleString('sv', { timeZone: zone })}Z`) - atMs
  const near = asUtcMs - ahead(asUtcMs)
  const start = asUtcMs - ahead(near)
  // A year before 1000 is still being typed.
  if (Number.isNaN(start)) return start
  // If summer time skips midnight, the day begins at `near`; `start` might be on the day before.
  return dateOf(start, zone) < dateOf(near, zone) ? near : start
}

export function day(atMs: number, zone?: string) {
  const [then, today] = [dateOf(atMs, zone), dateOf(Date.now(), zone)]
  if (then === today) return 'today'
  // Compare dates: a day with a clock change has 23 or 25 hours.
  if (Date.parse(today) - Date.parse(then) === DAY_MS) return 'yesterday'
  return (then.slice(0, 4) === today.slice(0, 4) ? dayOfYear : dayInFull)(atMs, zone)
}

/** Whole days from a day, given as its start in UTC, to today in the shelter. */
export function daysSince(sinceMs: number) {
  return Math.max(0, (Date.parse(dateOf(Date.now(), shelterZone())) - sinceMs) / DAY_MS)
}

/** As in "Waiting 25 days, again since 3 November"; empty if the animal does not wait or this is unknown. */
export function waitWords({
  status,
  removedAtMs,
  wait,
}: Pick<Animal, 'status' | 'removedAtMs'> & { wait?: Wait | null }) {
  if (!wait || status === 'sold' || removedAtMs !== null) return ''
  const { sinceMs, isAgain } = wait
  const days = daysSince(sinceMs)
  const thisYear = dateOf(Date.now(), shelterZone()).slice(0, 4)
  const since = (dateOf(sinceMs, 'UTC').startsWith(thisYear) ? dayOfYear : dayInFull)(sinceMs, 'UTC')
  if (days === 0) return isAgain ? 'Waiting again since today' : 'Waiting since today'
  return `Waiting ${count(days, 'day')}, ${isAgain ? 'again ' : ''}since ${since}`
}

export function moment(atMs: number, zone?: string) {
  return `${day(atMs, zone)} at ${timeOfDay(atMs, zone)}`
}

function shelterZone() {
  const { shelter, machineZone } = currentSession()
  return shelter.zone || machineZone
}

export function zoneWord(zone: string) {
  return zone.replaceAll('_', ' ')
}

export function sentenceOf(error: unknown) {
  if (error instanceof CallFailed) return error.message
  throw error
}

export function may(least: Role) {
  return hasRole(currentSession().role, least)
}

/** The number as decimal text, from 1,000,000 or 1 000 000 too; undefined unless it is a 64-bit integer. */
export function readInt64(text: string) {
  const digits = ungrouped(text.trim())
  if (!/^-?\d+$/.test(digits)) return undefined
  const integer = BigInt(digits)
  return BigInt.asIntN(64, integer) === integer ? integer.toString() : undefined
}

/** Isolating marks keep a quoted right-to-left text from reordering the sentence, even in an attribute. */
export function quoted(text: string, letters: number = 60, mark: string = '“”') {
  const [before = '', after = ''] = mark
  return `\u2068${before}${shorten(text, letters)}${after}\u2069`
}

export function shorten(text: string, letters: number) {
  if (text.length <= letters) return text
  const first = [...text.slice(0, letters * 2)].slice(0, letters).join('')
  return first.length < text.length ? `${first}…` : text
}

/** An animal in a sentence, as in "luna (17477)", because several can share a name. */
export function whoIs({ id, name }: { id: string; name: string }) {
  return name.trim() === '' ? `Animal ${id}` : `${quoted(name, 60, '')} (${id})`
}

export function nameOf({ id, name }: { id: string; name: string }) {
  return name.trim() === '' ? `Animal ${id}` : quoted(name, 60, '')
}
