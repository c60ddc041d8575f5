/** How the office says things: times, numbers, statuses, roles and failures. */

import { DAY_MS } from '../../../common/clock.ts'
import type { Role, Status } from '../../office-data.ts'
import { CallFailed } from './api.ts'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' })
const fullDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const whole = new Intl.NumberFormat('en')

export const STATUSES: readonly Status[] = ['available', 'pending', 'sold', null]
export const ROLES: readonly Role[] = ['staff', 'manager', 'operator']

export function statusWord(status: Status) {
  return status === null ? 'No status' : `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

/** A number of things, as in "1 animal" and "2,000 animals". */
export function count(n: number, one: string, many: string = `${one}s`) {
  return `${whole.format(n)} ${n === 1 ? one : many}`
}

export function figure(n: number) {
  return whole.format(n)
}

/** The time of day, as in 14:31. */
export function timeOfDay(atMs: number) {
  return clock.format(atMs)
}

/** The day, as in "today", "yesterday", "3 March" or "3 March 2024". */
export function day(atMs: number) {
  const [then, now] = [new Date(atMs), new Date()]
  if (then.toDateString() === now.toDateString()) return 'today'
  if (then.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'yesterday'
  return (then.getFullYear() === now.getFullYear() ? dayOfYear : fullDay).format(then)
}

/** Day and time, as in "today at 14:31". */
export function moment(atMs: number) {
  return `${day(atMs)} at ${timeOfDay(atMs)}`
}

/** The sentence of a failed call; throws what is not one. */
export function sentenceOf(error: unknown) {
  if (error instanceof CallFailed) return error.message
  throw error
}

/** Whether somebody with this role may do what `least` may. */
export function mayDo(role: Role, least: Role) {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/** The number, as decimal text, or undefined if the text is not a 64-bit integer. */
export function readInt64(text: string) {
  if (!/^\s*-?\d+\s*$/.test(text)) return undefined
  const integer = BigInt(text.trim())
  return BigInt.asIntN(64, integer) === integer ? integer.toString() : undefined
}

/**
 * A text that somebody typed, cut to some letters, between quotation marks. The isolating marks keep a text that is
 * written from right to left from turning the sentence around it.
 */
export function quoted(text: string, letters: number = 60, mark: string = '“”') {
  const [before = '', after = ''] = mark
  return `\u2068${before}${shorten(text, letters)}${after}\u2069`
}

/** The text, or its beginning and an ellipsis. */
export function shorten(text: string, letters: number) {
  if (text.length <= letters) return text
  const first = [...text.slice(0, letters * 2)].slice(0, letters).join('')
  return first.length < text.length ? `${first}…` : text
}

/** An animal by its name, or by its number if it has none. */
export function nameOf({ id, name }: { id: string; name: string }) {
  return name.trim() === '' ? `Animal ${id}` : quoted(name, 60, '')
}
