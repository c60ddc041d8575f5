/** What somebody did with an animal, in words. */
import { get } from './api.js'
import { categoryWord } from './categories.js'
import { moment, quoted, statusWord } from './words.js'

/** @import { Animal, AnimalView, JournalLine, Status } from '../office-data.ts' */

/** @type {Readonly<Record<string, string>>} */
const ACTS = {
  add: 'added it',
  remove: 'removed it',
  restore: 'restored it',
  purge: 'deleted it for good',
  import: 'imported it',
  'undo import': 'undid the import that it came with',
}

/**
 * Who did what, as in "Anna set the status to Sold".
 * @param {JournalLine} line
 */
export function actWords({ who, act, from, to }) {
  return `${authorWord(who)} ${act === 'edit' ? editWords(from, to) : (ACTS[act] ?? act)}`
}

/**
 * The name of whoever did something; on the command line it is the system's user.
 * @param {string} who
 */
export function authorWord(who) {
  const user = /^cli (.*)$/s.exec(who)?.[1]
  return user === undefined ? quoted(who, 40, '') : `${quoted(user, 40, '')} (command line)`
}

/**
 * @param {JournalLine['from']} from
 * @param {JournalLine['to']} to
 */
function editWords(from, to) {
  const parts = []
  if (to.name !== undefined) parts.push(`changed the name from ${quoted(from.name ?? '')} to ${quoted(to.name ?? '')}`)
  if (to.categoryId !== undefined) {
    parts.push(
      `changed the category from ${categoryWord(from.categoryId ?? '')} to ${categoryWord(to.categoryId ?? '')}`,
    )
  }
  if (to.status === null) parts.push(`took away the status ${statusWord(asStatus(from.status))}`)
  else if (to.status !== undefined) parts.push(`set the status to ${statusWord(asStatus(to.status))}`)
  return parts.length === 0 ? 'changed it' : parts.join(' and ')
}

/**
 * What somebody else did to this animal last, as in "Anna set the status to Sold, today at 14:30."; without an answer from the
 * service only what the animal is now.
 * @param {Animal} animal
 */
export async function lastChange(animal) {
  try {
    /** @type {AnimalView} */
    const { history } = await get(`api/animals/${animal.id}`)
    const latest = history.find(({ n }) => n === animal.version) ?? history[0]
    if (latest !== undefined) return `${actWords(latest)}, ${moment(latest.atMs)}.`
  } catch {
    // The animal as it is now is the better part of the news.
  }
  return `Somebody else has changed this animal. Its status is ${statusWord(animal.status)}.`
}

/** @param {string | null | undefined} text @returns {Status} */
function asStatus(text) {
  return text === 'available' || text === 'pending' || text === 'sold' ? text : null
}
