/** The history of an animal in words. */

import { isPetStatus } from '../../../contract/schemas.ts'
import type { JournalAct } from '../../../rules/journal.ts'
import { type AnimalMembers, ofTexts, type TextMember } from '../../../rules/members.ts'
import type { Animal, AnimalView, JournalLine, Status } from '../../office-data.ts'
import { get } from './api.ts'
import { categoryIn } from './categories.ts'
import { moment, quoted, statusIn } from './words.ts'

export const DID = {
  add: 'added',
  edit: 'changed',
  remove: 'removed',
  restore: 'restored',
  purge: 'permanently deleted',
} as const satisfies Partial<Record<JournalAct, string>>
const ACTS: Readonly<Partial<Record<JournalAct, string>>> = DID

export function actWords({ who, act, from, to, importN }: JournalLine, imports: AnimalView['imports']) {
  const did = act === 'edit' ? editWords(from, to) : `${ACTS[act] ?? act} it`
  return `${importN === null ? authorWord(who) : importWords(importN, imports, who)} ${did}`
}

function importWords(n: string, imports: AnimalView['imports'], who: string) {
  const file = imports[n] === undefined ? '' : ` (${quoted(imports[n], 60, '')})`
  return `Import ${n}${file} by ${authorWord(who)}`
}

export function cameWords(origin: AnimalView['origin'], imports: AnimalView['imports']) {
  if (origin === null) return 'Added before version 2.0, which started recording who adds animals'
  const { kind, who, importN } = origin
  if (kind === 'key') return `Added through the API with the key ${quoted(who, 40, '')}`
  return kind === 'person' ? `${authorWord(who)} added it` : `${importWords(importN ?? '', imports, who)} added it`
}

export function authorWord(who: string) {
  const user = /^cli (.*)$/s.exec(who)?.[1]
  return user === undefined ? quoted(who, 40, '') : `${quoted(user, 40, '')} (command line)`
}

type Values = JournalLine['from']

export const MEMBER_WORDS: Readonly<Record<keyof AnimalMembers, string>> = {
  name: 'name',
  categoryId: 'category',
  status: 'status',
  ...ofTexts((name) => name),
}

const EDITED: Readonly<Record<keyof AnimalMembers, (from: Values, to: Values) => string>> = {
  name: (from, to) => `changed the name from ${quoted(from.name ?? '')} to ${quoted(to.name ?? '')}`,
  categoryId: (from, to) =>
    `changed the category from ${categoryIn(from.categoryId ?? '')} to ${categoryIn(to.categoryId ?? '')}`,
  status: (from, to) =>
    to.status === null
      ? `removed the status ${statusIn(asStatus(from.status))}`
      : `set the status to ${statusIn(asStatus(to.status))}`,
  ...ofTexts((name) => (from: Values, to: Values) => textWords(name, from[name], to[name])),
}

function textWords(name: TextMember, before: Values[string] | undefined, now: Values[string] | undefined) {
  if (typeof now !== 'string') return `removed the ${name} ${quoted(before ?? '')}`
  return before ? `changed the ${name} from ${quoted(before)} to ${quoted(now)}` : `set the ${name} to ${quoted(now)}`
}

function editWords(from: Values, to: Values) {
  const parts = Object.entries(EDITED).flatMap(([name, words]) => (to[name] === undefined ? [] : words(from, to)))
  if (to.left !== undefined) return to.left === 'true' ? 'recorded that it left the shelter' : 'listed it again'
  return parts.length === 0 ? 'changed it' : parts.join(' and ')
}

/** As in "Anna set the status to Sold, today at 14:30.", or the current status if that cannot be loaded. */
export async function lastChange(animal: Animal) {
  try {
    const { history, imports } = await get('/api/animals/:id', { id: animal.id })
    const latest = history.find(({ n }) => n === animal.version) ?? history[0]
    if (latest !== undefined) return `${actWords(latest, imports)}, ${moment(latest.atMs)}.`
  } catch {} // the current status is still useful
  return `Someone else changed this animal. Its status is ${statusIn(animal.status)}.`
}

export function asStatus(text: string | null | undefined): Status {
  return isPetStatus(text) ? text : null
}
