/** The journal, newest first, filtered by kind, person, animal, key and days. The filters are in the address. */

import { DAY_MS } from '../../../common/clock.ts'
import { undoneText } from '../../../domain/file-outcome.ts'
import type { JournalKind, JournalLine, JournalPage, ListedLine, Session } from '../../office-data.ts'
import { get, Latest } from '../parts/api.ts'
import { categoryIn, loadCategories } from '../parts/categories.ts'
import { announce, button, dayField, field, filtersButton, make, onSubmit, titled } from '../parts/elements.ts'
import { asStatus, authorWord, DID } from '../parts/history.ts'
import { troubleNotice } from '../parts/notices.ts'
import { type Parameters, replaceAddress, type Shown } from '../parts/screen.ts'
import { pager, table } from '../parts/table.ts'
import {
  count,
  dateOf,
  figure,
  mayChange,
  mayDo,
  moment,
  ownZone,
  quoted,
  readInt64,
  sentenceOf,
  shelterZone,
  statusIn,
  zoneWord,
} from '../parts/words.ts'
import { takeBack } from './acts.ts'

const FILTERS = ['kind', 'who', 'animal', 'keyId', 'since', 'until']

export function showJournal(container: HTMLElement, session: Session, { query }: Parameters): Shown {
  const journal = new Journal(query, mayDo(session.role, 'operator'))
  container.append(titled('Journal'), ...journal.elements)
  void loadCategories().then(() => journal.load())
  return { end: () => journal.end() }
}

class Journal {
  /** The filters as query parameters. */
  #filters: URLSearchParams
  #lines: ListedLine[] = []
  /** Of animals, by number. */
  #animals: Record<string, string> = {}
  #next: string | null = null
  readonly #latest = new Latest()
  #kind = field('What', make('select', {}))
  #who = field('Who', make('input', { autocomplete: 'off', dir: 'auto', placeholder: 'Part of a name' }))
  #animal = field('Animal', make('input', { autocomplete: 'off', dir: 'auto', placeholder: 'Name, number' }))
  #key = field('Key', make('input', { autocomplete: 'off', placeholder: 'key_…', spellcheck: false }))
  #since = dayField('From', 'date')
  #until = dayField('Until', 'date')
  #folding: ReturnType<typeof filtersButton> | undefined
  #trouble = troubleNotice()
  #found = make('p', { class: 'quiet' })
  #table = journalTable(
    (line) => this.#onlyBy(line.who),
    (id) => this.#animals[id],
    () => void this.load(),
  )
  #pages = pager({ Older: () => void this.#loadOlder() })

  constructor(query: URLSearchParams, isOperator: boolean) {
    this.#filters = new URLSearchParams([...query].filter(([name]) => FILTERS.includes(name)))
    const kinds = Object.entries(KINDS).filter(([kind]) => isOperator || OF_EVERY_ROLE.includes(kind))
    const options = [['', 'Everything'], ...kinds].map(([value, words]) => make('option', { value }, words ?? ''))
    this.#kind.control.replaceChildren(...options)
    this.#key.element.hidden = !isOperator
    this.#showFilters()
  }

  get elements() {
    const form = make(
      'form',
      { class: 'bar', 'aria-label': 'Filters' },
      ...[this.#kind, this.#who, this.#animal, this.#key, this.#since, this.#until].map(({ element }) => element),
      make('div', { class: 'few' }, make('button', { type: 'submit' }, 'Filter'), this.#clearing()),
    )
    onSubmit(form, async () => this.#readFilters())
    const card = make('section', { class: 'card', 'aria-label': 'Entries' }, this.#table.element, this.#pages.element)
    this.#folding = filtersButton(form)
    this.#folding.show(this.#filters.size)
    const zone = shelterZone()
    const words = `Days and times are those of ${zoneWord(zone)}.`
    if (zone !== ownZone()) form.append(make('p', { class: 'quiet' }, words))
    return [this.#folding.element, form, this.#trouble.element, this.#found, card]
  }

  end() {
    this.#latest.drop()
  }

  async load() {
    this.#table.element.classList.add('stale')
    await this.#ask(this.#filters, (page) => {
      this.#lines = []
      this.#add(page)
      const words = this.#lines.length === 0 ? noneWords(this.#filters, page.older !== null) : ''
      this.#found.textContent = words
      announce(words === '' ? `${count(this.#lines.length, 'entry', 'entries')}.` : words)
    })
  }

  #loadOlder() {
    const first = this.#lines.length
    return this.#ask(new URLSearchParams([...this.#filters, ['before', this.#next ?? '']]), (page) => {
      this.#add(page)
      announce(`${count(this.#lines.length - first, 'older entry', 'older entries')}.`)
    })
  }

  #ask(query: URLSearchParams, show: (page: JournalPage) => void) {
    return this.#latest.ask(
      () => get('/api/journal', query),
      (page) => {
        this.#trouble.hide()
        this.#table.element.classList.remove('stale')
        show(page)
      },
      (error) => {
        // Rows of another filter would look like its result.
        if (!query.has('before')) {
          this.#lines = []
          this.#add({ lines: [], names: {}, older: null })
        }
        const again = () => void (query.has('before') ? this.#loadOlder() : this.load())
        this.#trouble.show(`The journal could not be loaded. ${sentenceOf(error)}`, again)
      },
    )
  }

  #add({ lines, names, older }: JournalPage) {
    this.#lines.push(...lines)
    Object.assign(this.#animals, names)
    this.#next = older
    this.#pages.show(older === null ? [] : ['Older'])
    this.#table.show(this.#lines)
  }

  #clearing() {
    return button(
      'Clear',
      () => {
        this.#filters = new URLSearchParams()
        this.#showFilters()
        this.#reload()
      },
      { class: 'plain' },
    )
  }

  #readFilters() {
    const typedIn = ({ control }: { readonly control: HTMLInputElement | HTMLSelectElement }) => control.value.trim()
    const [animal, first, last] = [typedIn(this.#animal), typedIn(this.#since), typedIn(this.#until)]
    const [since, until] = [dayStart(first), dayStart(last, 1)]
    const isReversed = since !== '' && until !== '' && Number(until) <= Number(since)
    this.#until.mark(isReversed ? 'This day is before the first one.' : '')
    if (isReversed) return
    const [kind, who, keyId] = [typedIn(this.#kind), typedIn(this.#who), typedIn(this.#key)]
    const wanted = { kind, who, animal: readInt64(animal) ?? animal, keyId, since, until }
    this.#filters = new URLSearchParams(
      Object.entries(wanted).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    )
    this.#reload()
  }

  #onlyBy(who: string) {
    this.#filters.set('who', who)
    this.#showFilters()
    this.#reload()
    this.#who.control.focus()
  }

  #reload() {
    const filters = this.#filters.toString()
    this.#folding?.show(this.#filters.size)
    replaceAddress(filters === '' ? '#journal' : `#journal?${filters}`)
    void this.load()
  }

  #showFilters() {
    this.#folding?.show(this.#filters.size)
    const dayOf = (name: string, beforeMs: number) => {
      const atMs = Number(this.#filters.get(name) ?? Number.NaN)
      return Number.isNaN(atMs) ? '' : dateOf(atMs - beforeMs, shelterZone())
    }
    this.#kind.control.value = this.#filters.get('kind') ?? ''
    this.#who.control.value = this.#filters.get('who') ?? ''
    this.#animal.control.value = this.#filters.get('animal') ?? ''
    this.#key.control.value = this.#filters.get('keyId') ?? ''
    this.#since.fill(dayOf('since', 0))
    this.#until.fill(dayOf('until', 1))
  }
}

function journalTable(
  onWho: (line: JournalLine) => void,
  nameOf: (id: string) => string | undefined,
  onUndo: () => void,
) {
  return table<ListedLine>('Journal', [
    {
      title: 'When',
      className: 'when',
      cell: ({ atMs }) => make('time', { datetime: new Date(atMs).toISOString() }, moment(atMs, shelterZone())),
    },
    {
      title: 'Who',
      cell: (line) =>
        button(authorWord(line.who), () => onWho(line), {
          class: 'link typed',
          dir: 'auto',
          title: 'Only what this person did',
        }),
    },
    { title: 'What', cell: (line) => whatOf(line, line.petId === null ? undefined : nameOf(line.petId), onUndo) },
    { title: 'Change', cell: changesOf },
  ])
}

function changesOf(line: JournalLine) {
  const changes = changeWords(line)
  if (changes.length === 0) return ''
  return make('ul', {}, ...changes.map((words) => make('li', { class: 'typed', dir: 'auto' }, words)))
}

function whatOf(line: ListedLine, name: string | undefined, onUndo: () => void) {
  const sentence = actSentence(line, name)
  if (line.petId !== null)
    return make('a', { href: `#animal/${encodeURIComponent(line.petId)}`, class: 'typed', dir: 'auto' }, sentence)
  if (line.keyId !== null) return make('a', { href: `#keys?text=${encodeURIComponent(line.keyId)}` }, sentence)
  const { n, act, several } = line
  const words = make('span', { class: 'typed', dir: 'auto' }, sentence)
  if (several === undefined || several.isUndone || act === 'undo several' || !mayChange()) return words
  const undo = () => void takeBack({ n, done: several.animals, animals: [] }, onUndo)
  return make('span', {}, words, ' ', button('Undo', undo, { class: 'link', 'aria-label': `Undo: ${sentence}` }))
}

/** Which of the filters nothing fits. */
function noneWords(filters: URLSearchParams, hasOlder: boolean) {
  const [who, animal, keyId] = ['who', 'animal', 'keyId'].map((name) => filters.get(name) ?? '')
  const parts = [
    ...(who ? [`by anybody whose name has ${quoted(who)}`] : []),
    ...(animal ? [`about an animal whose name or number is like ${quoted(animal)}`] : []),
    ...(keyId ? [`about the key ${quoted(keyId)}`] : []),
    ...(filters.has('since') || filters.has('until') ? ['in these days'] : []),
  ]
  const more = hasOlder ? ' The newest were looked at; Older looks at those before them.' : ''
  return `The journal has no such entries${parts.map((part) => ` ${part}`).join(',')}.${more}`
}

/** When the day of a date field begins, or one some days later, in Unix ms as text; none is empty. */
function dayStart(date: string, later: number = 0) {
  if (date === '') return ''
  const midnight = Date.parse(date) + later * DAY_MS
  // Swedish writes a time as ISO 8601 does.
  const ahead = (atMs: number) =>
    Date.parse(`${new Date(atMs).toLocaleString('sv', { timeZone: shelterZone() })}Z`) - atMs
  return String(midnight - ahead(midnight - ahead(midnight)))
}

const KINDS: Readonly<Record<JournalKind, string>> = {
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
const OF_EVERY_ROLE: readonly string[] = ['add', 'change', 'remove', 'import', 'category']

const OF_KEYS: Readonly<Record<string, string>> = {
  'issue key': 'issued',
  'revoke key': 'revoked',
  'rotate key': 'rotated',
  'edit key': 'changed',
  'ban key': 'banned',
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
function actSentence({ act, petId, keyId, from, to, several }: ListedLine, name: string = '') {
  const animal = `animal ${petId ?? ''}`
  if (DID[act] !== undefined)
    return `${DID[act]} ${name.trim() === '' ? animal : `${quoted(name, 60, '')} (${animal})`}`
  if (OF_KEYS[act] !== undefined) return `${OF_KEYS[act]} ${keyId ?? 'a key'}`
  const person = quoted(to.person ?? from.person ?? '', 60, '')
  switch (act) {
    case 'edit several':
    case 'remove several':
    case 'restore several':
      return `${DID[act.replace(' several', '')]} ${count(several?.animals ?? 0, 'animal')}`
    case 'undo several':
      return `took back what was done to ${count(several?.animals ?? 0, 'animal')}`
    case 'label':
      return `named ${categoryIn(to.categoryId ?? from.categoryId ?? '')}`
    case 'merge':
      return `merged category ${quoted(from.label ?? from.categoryId ?? '')} into ${categoryIn(to.categoryId ?? '')}: ${count(Number(to.animals), 'animal')}`
    case 'undo merge':
      return `undid merge ${from.merge}: ${count(Number(from.animals), 'animal')} went back to ${categoryIn(to.categoryId ?? '')}`
    case 'word':
      return to.word === null
        ? `took away the name of the status ${to.of}`
        : `renamed the status ${to.of} to ${quoted(to.word ?? '')}`
    case 'shelter':
      return 'skippedSteps' in to ? 'skipped a first step' : 'changed the name or contact of the shelter'
    case 'import':
      return `imported ${count(Number(to.animals), 'animal')} from ${quoted(to.source ?? '')} (import ${to.import})`
    case 'sync':
      return `updated ${count(Number(to.animals), 'animal')} from ${quoted(to.source ?? '')} (import ${to.import})`
    case 'undo import':
      return `undid import ${from.import}: ${undoneText({ removed: Number(from.animals), putBack: Number(from.putBack ?? 0), kept: 0 }, { figure })}`
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
    case 'change passphrase':
      return 'changed the own passphrase'
    case 'rename person':
      return `renamed ${quoted(from.person ?? '', 60, '')} to ${person}`
    case 'change role':
      return `gave ${person} another role`
    case 'export':
      return `exported ${Object.keys(to).length > 1 ? 'the animals found' : 'all animals'} (${(to.format ?? '').toUpperCase()})`
    default:
      return act
  }
}

/** The changed values, as in "status: Available → Sold"; none if the sentence tells all. */
function changeWords({ act, from, to }: JournalLine): readonly string[] {
  if (act === 'merge' || act === 'undo merge') return []
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((member) => {
    const word = MEMBERS[member]
    // Null and absent are both "no value".
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
  if (member === 'expires') return moment(Date.parse(value), shelterZone())
  if (member === 'perMinute' || member === 'perDay') return new Intl.NumberFormat('en').format(BigInt(value))
  return member === 'name' || member === 'text' || member === 'label' ? quoted(value) : value
}
