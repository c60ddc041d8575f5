/** How the office says things: times, numbers, statuses, roles and failures. */
import { CallFailed } from './api.js'

/** @import { Role, Status } from '../office-data.ts' */

const DAY_MS = 86_400_000

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' })
const fullDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const whole = new Intl.NumberFormat('en')

/** @type {readonly Status[]} */
export const STATUSES = ['available', 'pending', 'sold', null]
/** @type {readonly Role[]} */
export const ROLES = ['staff', 'manager', 'operator']

/** @param {Status} status */
export function statusWord(status) {
  return status === null ? 'No status' : `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

/**
 * A number of things, as in "1 animal" and "2,000 animals".
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export function count(n, one, many = `${one}s`) {
  return `${whole.format(n)} ${n === 1 ? one : many}`
}

/** @param {number} n */
export function figure(n) {
  return whole.format(n)
}

/**
 * The time of day, as in 14:31.
 * @param {number} atMs
 */
export function timeOfDay(atMs) {
  return clock.format(atMs)
}

/**
 * The day, as in "today", "yesterday", "3 March" or "3 March 2024".
 * @param {number} atMs
 */
export function day(atMs) {
  const [then, now] = [new Date(atMs), new Date()]
  if (then.toDateString() === now.toDateString()) return 'today'
  if (then.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'yesterday'
  return (then.getFullYear() === now.getFullYear() ? dayOfYear : fullDay).format(then)
}

/**
 * Day and time, as in "today at 14:31".
 * @param {number} atMs
 */
export function moment(atMs) {
  return `${day(atMs)} at ${timeOfDay(atMs)}`
}

/**
 * The sentence of a failed call; throws what is not one.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  if (error instanceof CallFailed) return error.message
  throw error
}

/**
 * Whether somebody with this role may do what `least` may.
 * @param {Role} role
 * @param {Role} least
 */
export function mayDo(role, least) {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/**
 * The number, as decimal text, or undefined if the text is not a 64-bit integer.
 * @param {string} text
 */
export function readInt64(text) {
  if (!/^\s*-?\d+\s*$/.test(text)) return undefined
  const integer = BigInt(text.trim())
  return BigInt.asIntN(64, integer) === integer ? integer.toString() : undefined
}

/**
 * A text that somebody typed, cut to some letters, between quotation marks. The isolating marks keep a text that is written from
 * right to left from turning the sentence around it.
 * @param {string} text
 * @param {number} [letters]
 * @param {string} [mark]
 */
export function quoted(text, letters = 60, mark = '“”') {
  const [before = '', after = ''] = mark
  return `\u2068${before}${shorten(text, letters)}${after}\u2069`
}

/**
 * The text, or its beginning and an ellipsis.
 * @param {string} text
 * @param {number} letters
 */
export function shorten(text, letters) {
  if (text.length <= letters) return text
  const first = [...text.slice(0, letters * 2)].slice(0, letters).join('')
  return first.length < text.length ? `${first}…` : text
}

/**
 * An animal by its name, or by its number if it has none.
 * @param {{ id: string, name: string }} animal
 */
export function nameOf({ id, name }) {
  return name.trim() === '' ? `Animal ${id}` : quoted(name, 60, '')
}
