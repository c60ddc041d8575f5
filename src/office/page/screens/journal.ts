/** The journal, newest first. Its filters are in the address. */

import { undoneText } from '../../../domain/file-outcome.ts'
import { JOURNAL_KINDS, type JournalAct, type JournalKind, OF_ANIMALS } from '../../../rules/journal.ts'
import type { JournalLine, JournalPage, ListedLine, QueryOf } from '../../office-data.ts'
import { get } from '../parts/api.ts'
import { categoryIn, loadCategories } from '../parts/categories.ts'
import { announce, button, fill, make, quiet, titled, untitled } from '../parts/elements.ts'
import { dayField, field, filtersButton, onPause, onSubmit, select, textField } from '../parts/fields.ts'
import { asStatus, authorWord, DID, MEMBER_WORDS } from '../parts/history.ts'
import { load } from '../parts/load.ts'
import { type Parameters, replaceAddress } from '../parts/screen.ts'
import { pager, table } from '../parts/table.ts'
import { count, dateOf, figure, instantOf, may, moment, quoted, readInt64, statusIn } from '../parts/words.ts'
import { undoAct } from './acts.ts'

type Filter = Exclude<keyof QueryOf<'GET /api/journal'>, 'before'>

export function showJournal({ query }: Parameters) {
  return [titled('Journal'), new Journal(query, may('operator')).elements]
}

class Journal {
  #filters: URLSearchParams
  #lines: ListedLine[] = []
  #next: string | null = null
  readonly #fields = {
    kind: field('What', select([])),
    who: textField('Who', { placeholder: 'Part of a name' }),
    animal: textField('Animal', { placeholder: 'Name, number' }),
    since: dayField('From', 'date'),
  } satisfies Readonly<Record<Exclude<Filter, 'keyId' | 'partOf'>, object>>
  readonly #only = button('', () => this.#filterBy([]), { class: 'plain chip', hidden: true })

  #form = make('form', { class: 'bar', 'aria-label': 'Filters' })
  #folding = filtersButton(this.#form)
  #summary = quiet()
  readonly #names = loadCategories()
  #table = journalTable((line) => this.#onlyBy(line.who))
  #pages = pager({ Older: () => void this.#older.again() })
  #list = untitled('Entries', this.#table, this.#pages)
  #all = load({
    what: 'The journal',
    get: async () => {
      this.#older.drop()
      this.#older.hide()
      await this.#names
      return get('/api/journal', this.#filters)
    },
    show: (page) => {
      this.#clear()
      this.#add(page)
      const words = this.#lines.length === 0 ? noneWords(this.#filters, page.older !== null) : ''
      this.#summary.textContent = words
      announce(words === '' ? `${count(this.#lines.length, 'entry', 'entries')}.` : words)
    },
    onFail: () => this.#clear(),
    list: this.#list,
    follows: true,
  })
  #older = load({
    what: 'Older entries',
    get: () => get('/api/journal', new URLSearchParams([...this.#filters, ['before', this.#next ?? '']])),
    show: (page) => {
      this.#add(page)
      announce(`${count(page.lines.length, 'older entry', 'older entries')}.`)
    },
    isLater: true,
  })

  constructor(query: URLSearchParams, isOperator: boolean) {
    this.#filters = new URLSearchParams(
      [...query].filter(([name]) => name in this.#fields || name === 'keyId' || name === 'partOf'),
    )
    const kinds = (isOperator ? JOURNAL_KINDS : OF_ANIMALS).map((kind) => [kind, KIND_WORDS[kind]] as const)
    this.#fields.kind.control.append(...select([['', 'Everything'], ...kinds]).options)
    this.#showFilters()
  }

  get elements() {
    fill(this.#form, Object.values(this.#fields))
    onPause(this.#form, () => this.#readFilters())
    onSubmit(this.#form, async () => this.#readFilters())
    return [this.#folding, this.#form, this.#only, this.#all, this.#older, this.#summary, this.#list]
  }

  #clear() {
    this.#lines = []
    this.#add({ lines: [], older: null })
  }

  #add({ lines, older }: JournalPage) {
    this.#lines.push(...lines)
    this.#next = older
    this.#pages.show(older === null ? [] : ['Older'])
    this.#table.show(this.#lines)
  }

  #readFilters() {
    const typedIn = Object.entries(this.#fields).map(([name, { control }]) => [name, control.value.trim()] as const)
    const values = Object.fromEntries(typedIn)
    const { animal = '', since = '' } = values
    const fromMs = since === '' ? Number.NaN : instantOf(since)
    // While a year is being typed, it is before 1970.
    const from = fromMs >= 0 ? String(fromMs) : ''
    const { keyId = '', partOf = '' } = Object.fromEntries(this.#filters)
    this.#filterBy(Object.entries({ ...values, keyId, partOf, animal: readInt64(animal) ?? animal, since: from }))
  }

  #onlyBy(who: string) {
    this.#fields.who.control.value = who
    this.#readFilters()
    this.#fields.who.control.focus()
  }

  #filterBy(filters: readonly (readonly [string, string])[]) {
    this.#filters = new URLSearchParams(filters.filter(([, value]) => value !== '').map(([...pair]) => pair))
    this.#folding.show(this.#filters.size)
    this.#showOnly()
    replaceAddress(this.#filters.size === 0 ? '#journal' : `#journal?${this.#filters}`)
    void this.#all.again()
  }

  #showFilters() {
    this.#folding.show(this.#filters.size)
    this.#showOnly()
    const { since, ...others } = this.#fields
    for (const [name, { control }] of Object.entries(others)) control.value = this.#filters.get(name) ?? ''
    const sinceMs = this.#filters.get('since') ?? ''
    since.fill(/^\d+$/.test(sinceMs) ? dateOf(Number(sinceMs)) : '')
  }

  #showOnly() {
    const { keyId, partOf } = Object.fromEntries(this.#filters)
    const words = keyId === undefined ? `Entry ${partOf}` : `Key ${keyId}`
    this.#only.hidden = keyId === undefined && partOf === undefined
    this.#only.textContent = `${words}\u00a0×`
    this.#only.setAttribute('aria-label', `${words}: show all entries again`)
  }
}

function journalTable(onWho: (line: JournalLine) => void) {
  return table<ListedLine>('Journal', [
    {
      title: 'When',
      className: 'when',
      cell: ({ atMs }) => make('time', { datetime: new Date(atMs).toISOString() }, moment(atMs)),
    },
    {
      title: 'Who',
      cell: (line) =>
        button(authorWord(line.who), () => onWho(line), {
          class: 'link typed',
          dir: 'auto',
          title: 'Show only this person’s acts',
        }),
    },
    { title: 'What', cell: whatOf },
    { title: 'Change', cell: changesOf },
  ])
}

function changesOf(line: JournalLine) {
  const changes = changeWords(line)
  return changes.length > 0 && make('span', { class: 'typed changes', dir: 'auto' }, changes.join(', '))
}

function whatOf(line: ListedLine) {
  // A page that was open during an update might not know an act.
  const sentence = `${SENTENCES[line.act]?.(line) ?? line.act}${line.isUndone ? ' (undone)' : ''}`
  if (line.petId !== null)
    return make('a', { href: `#animal/${encodeURIComponent(line.petId)}`, class: 'typed', dir: 'auto' }, sentence)
  if (line.keyId !== null) return make('a', { href: `#keys?text=${encodeURIComponent(line.keyId)}` }, sentence)
  const { n, act, parts, isUndone, importN } = line
  const opened = parts === undefined ? act === 'import' && `#animals?import=${importN}` : `#journal?partOf=${n}`
  const words = opened
    ? make('a', { href: opened, class: 'typed', dir: 'auto' }, sentence)
    : make('span', { class: 'typed', dir: 'auto' }, sentence)
  if (!act.endsWith(' several') || isUndone || act === 'undo several' || !may('staff')) return words
  const undo = () => undoAct({ n, done: sumOf(parts), animals: [] })
  return make('span', {}, words, ' ', button('Undo', undo, { class: 'link', 'aria-label': `Undo: ${sentence}` }))
}

function noneWords(filters: URLSearchParams, hasOlder: boolean) {
  if (hasOlder) return 'Only recent entries were searched. Select “Older” to search further back.'
  return filters.size === 0 ? 'The journal has no entries yet.' : 'No entry matches these filters.'
}

const KIND_WORDS: Readonly<Record<JournalKind, string>> = {
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
/** Words for members. Members that the sentence itself mentions have none. */
const MEMBERS: Readonly<Record<string, string>> = {
  ...MEMBER_WORDS,
  text: 'search',
  label: 'label',
  plan: 'plan',
  perMinute: 'a minute',
  perDay: 'a day',
  expires: 'expires',
  replaces: 'replaces',
  successor: 'replaced by',
  role: 'role',
}

const animalsIn = (animals: string | null | undefined) => count(Number(animals), 'animal')
const personOf = ({ from, to }: ListedLine) => quoted(to.person ?? from.person ?? '', 60, '')

type Sentence = (line: ListedLine) => string
function ofAnimal(did: string): Sentence {
  return ({ petId, animalName = '' }) =>
    `${did} ${animalName.trim() === '' ? `animal ${petId}` : `${quoted(animalName, 60, '')} (animal ${petId})`}`
}

function ofSeveral(did: string): Sentence {
  return ({ parts }) => `${did} ${count(sumOf(parts), 'animal')}`
}

function sumOf(parts: ListedLine['parts']) {
  return Object.values(parts ?? {}).reduce((sum, animals) => sum + animals, 0)
}

function partWords(parts: ListedLine['parts']) {
  return Object.entries(DID)
    .flatMap(([act, did]) => (parts?.[act] ? `${figure(parts[act])} ${did}` : []))
    .join(', ')
}

function ofKey(did: string): Sentence {
  return ({ keyId }) => `${did} ${keyId ?? 'a key'}`
}

const SENTENCES: Readonly<Record<JournalAct, Sentence>> = {
  add: ofAnimal(DID.add),
  edit: ofAnimal(DID.edit),
  remove: ofAnimal(DID.remove),
  restore: ofAnimal(DID.restore),
  purge: ofAnimal(DID.purge),
  'edit several': ofSeveral(DID.edit),
  'remove several': ofSeveral(DID.remove),
  'restore several': ofSeveral(DID.restore),
  'undo several': ofSeveral('undid a change to'),
  'issue key': ofKey('created'),
  'revoke key': ofKey('revoked'),
  'rotate key': ofKey('rotated'),
  'edit key': ofKey('changed'),
  'ban key': ofKey('banned'),
  'unban key': ofKey('unbanned'),
  label: ({ from, to }) => `named ${categoryIn(to.categoryId ?? from.categoryId ?? '')}`,
  merge: ({ from, to }) =>
    `merged category ${quoted(from.label ?? from.categoryId ?? '')} into ${categoryIn(to.categoryId ?? '')}: ${animalsIn(to.animals)}`,
  'undo merge': ({ from, to }) =>
    `undid merge ${from.merge}: ${animalsIn(from.animals)} returned to ${categoryIn(to.categoryId ?? '')}`,
  word: ({ to: { of, word } }) =>
    word === null ? `removed the word for ${of}` : `set the word for ${of} to ${quoted(word ?? '')}`,
  shelter: () => 'changed the shelter’s settings',
  import: ({ to, importN }) =>
    `imported ${quoted(to.source ?? '')} (import ${importN}): ${figure(Number(to.animals))} added`,
  sync: ({ to, importN, parts }) => `imported ${quoted(to.source ?? '')} (import ${importN}): ${partWords(parts)}`,
  'undo import': ({ importN, from: { animals, putBack } }) =>
    `undid import ${importN}: ${undoneText({ removed: Number(animals), putBack: Number(putBack ?? 0), kept: 0 }, { figure })}`,
  invite: (line) => `invited ${personOf(line)}`,
  'revoke person': (line) => `revoked the access of ${personOf(line)}`,
  'accept invitation': () => 'used the invite link',
  'sign in': () => 'signed in',
  'sign out': () => 'signed out',
  'sign out everywhere': (line) => `signed ${personOf(line)} out everywhere`,
  'reset passphrase': (line) => `created a link for ${personOf(line)} to choose a passphrase`,
  'change passphrase': () => 'changed their passphrase',
  'rename person': (line) => `renamed ${quoted(line.from.person ?? '', 60, '')} to ${personOf(line)}`,
  'free name': ({ from }) => `freed the former name ${quoted(from.person ?? '', 60, '')}`,
  'change role': (line) => `changed the role of ${personOf(line)}`,
  export: ({ to: { format, ...filters } }) =>
    `exported ${Object.keys(filters).length > 0 ? 'matching animals' : 'all animals'} (${(format ?? '').toUpperCase()})`,
}

/** As in "status: Available → Sold"; empty if the sentence says everything. */
function changeWords({ act, from, to }: JournalLine): readonly string[] {
  if (act === 'merge' || act === 'undo merge') return []
  if (to.left !== undefined) return [to.left === 'true' ? 'left the shelter' : 'listed again']
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((member) => {
    const word = MEMBERS[member]
    if (word === undefined || (act !== 'edit several' && (from[member] ?? null) === (to[member] ?? null))) return []
    if (member === 'categoryId' && 'label' in to) return []
    const [before, after] = [from[member], to[member]]
    if (before === undefined) return [`${word}: ${valueWord(member, after)}`]
    if (after === undefined) return [`${word}: was ${valueWord(member, before)}`]
    return [`${word}: ${valueWord(member, before)} → ${valueWord(member, after)}`]
  })
}

function valueWord(member: string, value: string | null | undefined) {
  if (member === 'status') return statusIn(asStatus(value))
  if (value === null || value === undefined || value === '') return 'none'
  if (member === 'categoryId') return categoryIn(value)
  if (member === 'expires') return moment(Date.parse(value))
  if (member === 'perMinute' || member === 'perDay') return new Intl.NumberFormat('en').format(BigInt(value))
  return member === 'name' || member === 'text' || member === 'label' ? quoted(value) : value
}
