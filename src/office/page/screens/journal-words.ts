/** The journal in words: each act as a sentence, and each value before and after. */

import type { JournalKind, JournalLine, Status } from '../../office-data.ts'
import { categoryWord } from '../parts/categories.ts'
import { count, moment, quoted, statusWord } from '../parts/words.ts'

export const KINDS: Readonly<Record<JournalKind, string>> = {
  add: 'Added',
  change: 'Changed',
  remove: 'Removed, restored',
  import: 'Imports',
  category: 'Categories',
  export: 'Exports',
  key: 'Keys',
  person: 'People',
  session: 'Sign-ins',
}
/** What is done to animals, which every role sees. */
export const OF_EVERY_ROLE: readonly string[] = ['add', 'change', 'remove', 'import', 'category']

const OF_ANIMALS: Readonly<Record<string, string>> = {
  add: 'added',
  edit: 'changed',
  remove: 'removed',
  restore: 'restored',
  purge: 'deleted for good',
}
const OF_KEYS: Readonly<Record<string, string>> = {
  'issue key': 'issued',
  'revoke key': 'revoked',
  'rotate key': 'rotated',
  'edit key': 'changed',
  'unban key': 'unbanned',
}
/** The words for members. One without a word is told by the sentence itself. */
const MEMBERS: Readonly<Record<string, string>> = {
  name: 'name',
  text: 'search',
  categoryId: 'category',
  status: 'status',
  label: 'label',
  plan: 'plan',
  perMinute: 'a minute',
  perDay: 'a day',
  expires: 'works until',
  replaces: 'replaces',
  successor: 'replaced by',
  role: 'role',
  reference: 'reference',
}

/** As in "removed Mia (animal 7)"; an animal that is deleted for good has no name. */
export function actSentence({ act, petId, keyId, from, to }: JournalLine, name: string = '') {
  const animal = `animal ${petId ?? ''}`
  if (OF_ANIMALS[act] !== undefined)
    return `${OF_ANIMALS[act]} ${name.trim() === '' ? animal : `${quoted(name, 60, '')} (${animal})`}`
  if (OF_KEYS[act] !== undefined) return `${OF_KEYS[act]} ${keyId ?? 'a key'}`
  const person = quoted(to.person ?? from.person ?? '', 60, '')
  switch (act) {
    case 'label':
      return `named ${categoryWord(to.categoryId ?? from.categoryId ?? '')}`
    case 'merge':
      return `merged category ${quoted(from.label ?? from.categoryId ?? '')} into ${categoryWord(to.categoryId ?? '')}: ${count(Number(to.animals), 'animal')}`
    case 'undo merge':
      return `undid merge ${from.merge}: ${count(Number(from.animals), 'animal')} went back to ${categoryWord(to.categoryId ?? '')}`
    case 'word':
      return to.word === null
        ? `took away the word for ${to.of}`
        : `gave the status ${to.of} the word ${quoted(to.word ?? '')}`
    case 'import':
      return `imported ${count(Number(to.animals), 'animal')} from ${quoted(to.source ?? '')} (import ${to.import})`
    case 'sync':
      return `synced ${count(Number(to.animals), 'animal')} with ${quoted(to.source ?? '')} (import ${to.import})`
    case 'undo import':
      return `undid import ${from.import}: ${count(Number(from.animals), 'animal')} removed${backWords(from.putBack)}`
    case 'invite':
      return `invited ${person}`
    case 'revoke person':
      return `ended the access of ${person}`
    case 'accept invitation':
      return 'accepted the invitation'
    case 'sign in':
      return 'signed in'
    case 'sign out':
      return 'signed out'
    case 'sign out everywhere':
      return `signed ${person} out everywhere`
    case 'reset passphrase':
      return `gave ${person} a link for a new passphrase`
    case 'change role':
      return `gave ${person} another role`
    case 'export':
      return `exported ${Object.keys(to).length > 1 ? 'the animals found' : 'all animals'} (${(to.format ?? '').toUpperCase()})`
    default:
      return act
  }
}

/** For the undo of a sync. */
function backWords(putBack: string | null | undefined) {
  return typeof putBack === 'string' ? `, ${putBack} put back` : ''
}

/** The changed values, as in "status: Available → Sold"; none if the sentence tells all. */
export function changeWords({ act, from, to }: JournalLine): readonly string[] {
  if (act === 'merge' || act === 'undo merge') return []
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((member) => {
    const word = MEMBERS[member]
    // Null and absent are both "no value".
    if (word === undefined || (from[member] ?? null) === (to[member] ?? null)) return []
    if (member === 'categoryId' && 'label' in to) return []
    const [before, after] = [from[member], to[member]]
    if (before === undefined) return [`${word}: ${valueWord(member, after)}`]
    if (after === undefined) return [`${word}: was ${valueWord(member, before)}`]
    return [`${word}: ${valueWord(member, before)} → ${valueWord(member, after)}`]
  })
}

function valueWord(member: string, value: string | null | undefined) {
  if (member === 'status') return statusWord(asStatus(value))
  if (value === null || value === undefined || value === '') return 'none'
  if (member === 'categoryId') return categoryWord(value)
  if (member === 'expires') return moment(Date.parse(value))
  if (member === 'perMinute' || member === 'perDay') return new Intl.NumberFormat('en').format(BigInt(value))
  return member === 'name' || member === 'text' || member === 'label' ? quoted(value) : value
}

function asStatus(text: string | null | undefined): Status {
  return text === 'available' || text === 'pending' || text === 'sold' ? text : null
}
