/** The journal, newest first, filtered by kind, person, animal, key and days. The filters are in the address. */

import { Latest } from '../../../pages/parts/latest.ts'
import type { JournalLine, JournalPage, Person, Session } from '../../office-data.ts'
import { noteAddress } from '../parts/address.ts'
import { get } from '../parts/api.ts'
import { loadCategories } from '../parts/categories.ts'
import { announce, button, dayField, field, make, onSubmit } from '../parts/elements.ts'
import { authorWord } from '../parts/history.ts'
import { pager } from '../parts/pager.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { troubleNotice } from '../parts/trouble.ts'
import { count, mayDo, moment, readInt64, sentenceOf } from '../parts/words.ts'
import { actSentence, changeWords, KINDS, OF_EVERY_ROLE } from './journal-words.ts'

const FILTERS = ['kind', 'who', 'petId', 'keyId', 'since', 'until']

export function showJournal(container: HTMLElement, session: Session, { query }: Parameters): Shown {
  const journal = new Journal(query, mayDo(session.role, 'operator'))
  container.append(make('div', { class: 'heading' }, make('h1', {}, 'Journal')), ...journal.elements)
  void loadCategories().then(() => journal.load())
  return { end: () => journal.end() }
}

class Journal {
  /** The filters as query parameters. */
  #filters: URLSearchParams
  #lines: JournalLine[] = []
  /** Of animals, by number. */
  #animals: Record<string, string> = {}
  #isOperator
  #next: string | null = null
  readonly #latest = new Latest()
  #names = make('datalist', { id: 'journal-names' })
  #kind = field('What', make('select', {}))
  #who = field('Who', make('input', { list: 'journal-names', autocomplete: 'off', dir: 'auto' }))
  #animal = field('Animal', make('input', { inputmode: 'numeric', autocomplete: 'off' }))
  #key = field('Key', make('input', { autocomplete: 'off', placeholder: 'key_…', spellcheck: false }))
  #since = dayField('From', 'date')
  #until = dayField('Until', 'date')
  #trouble = troubleNotice()
  #found = make('p', { class: 'quiet' })
  #table = journalTable(
    (line) => this.#onlyBy(line.who),
    (id) => this.#animals[id],
  )
  #pages = pager({ Older: () => void this.#loadOlder() })

  constructor(query: URLSearchParams, isOperator: boolean) {
    this.#isOperator = isOperator
    this.#filters = new URLSearchParams([...query].filter(([name]) => FILTERS.includes(name)))
    const kinds = Object.entries(KINDS).filter(([kind]) => isOperator || OF_EVERY_ROLE.includes(kind))
    const options = [['', 'Everything'], ...kinds].map(([value, words]) => make('option', { value }, words ?? ''))
    this.#kind.control.replaceChildren(...options)
    this.#key.element.hidden = !isOperator
    this.#showFilters()
    void this.#offerNames()
  }

  get elements() {
    const form = make(
      'form',
      { class: 'bar', 'aria-label': 'Filters' },
      ...[this.#kind, this.#who, this.#animal, this.#key, this.#since, this.#until].map(({ element }) => element),
      this.#names,
      make('div', { class: 'few' }, make('button', { type: 'submit' }, 'Filter'), this.#clearing()),
    )
    onSubmit(form, async () => this.#readFilters())
    const card = make('section', { class: 'card', 'aria-label': 'Entries' }, this.#table.element, this.#pages.element)
    return [form, this.#trouble.element, this.#found, card]
  }

  end() {
    this.#latest.drop()
  }

  async load() {
    this.#table.element.classList.add('stale')
    await this.#ask(this.#filters, (page) => {
      this.#lines = []
      this.#add(page)
      const more = page.older === null ? '' : ' The newest were looked at; Older looks at those before them.'
      const words = this.#lines.length === 0 ? `The journal has no such entries.${more}` : ''
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
      () => get<JournalPage>(`api/journal?${query}`),
      (page) => {
        this.#trouble.hide()
        this.#table.element.classList.remove('stale')
        show(page)
      },
      (error) => {
        // Rows of another filter would pass for its answer.
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
    if (!this.#isOperator) this.#offer(this.#lines.map(({ who }) => who))
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
    const petId = animal === '' ? '' : readInt64(animal)
    this.#animal.mark(petId === undefined ? 'An animal has a whole number.' : '')
    if (petId === undefined) return
    const [since, until] = [dayStart(first), dayStart(last, 1)]
    const isReversed = since !== '' && until !== '' && Number(until) <= Number(since)
    this.#until.mark(isReversed ? 'This day is before the first one.' : '')
    if (isReversed) return
    const [kind, who, keyId] = [typedIn(this.#kind), typedIn(this.#who), typedIn(this.#key)]
    const wanted = { kind, who, petId, keyId, since, until }
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
    noteAddress(filters === '' ? '#journal' : `#journal?${filters}`)
    void this.load()
  }

  #showFilters() {
    const dayOf = (name: string, beforeMs: number) => {
      const atMs = Number(this.#filters.get(name) ?? Number.NaN)
      return Number.isNaN(atMs) ? '' : dateOf(atMs - beforeMs)
    }
    this.#kind.control.value = this.#filters.get('kind') ?? ''
    this.#who.control.value = this.#filters.get('who') ?? ''
    this.#animal.control.value = this.#filters.get('petId') ?? ''
    this.#key.control.value = this.#filters.get('keyId') ?? ''
    this.#since.fill(dayOf('since', 0))
    this.#until.fill(dayOf('until', 1))
  }

  #offer(names: readonly string[]) {
    this.#names.replaceChildren(...[...new Set(names)].map((value) => make('option', { value })))
  }

  async #offerNames() {
    if (!this.#isOperator) return
    try {
      const people: readonly Person[] = await get('api/people')
      this.#offer(people.map(({ name }) => name))
    } catch {
      // Without the list of people, a name can still be typed.
    }
  }
}

function journalTable(onWho: (line: JournalLine) => void, nameOf: (id: string) => string | undefined) {
  return table<JournalLine>('Journal', [
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
          title: 'Only what this person did',
        }),
    },
    { title: 'What', cell: (line) => whatOf(line, line.petId === null ? undefined : nameOf(line.petId)) },
    {
      title: 'Change',
      cell: changesOf,
    },
  ])
}

function changesOf(line: JournalLine) {
  const changes = changeWords(line)
  if (changes.length === 0) return ''
  return make('ul', {}, ...changes.map((words) => make('li', { class: 'typed', dir: 'auto' }, words)))
}

function whatOf(line: JournalLine, name: string | undefined) {
  const sentence = actSentence(line, name)
  if (line.petId !== null)
    return make('a', { href: `#animal/${encodeURIComponent(line.petId)}`, class: 'typed', dir: 'auto' }, sentence)
  if (line.keyId !== null) return make('a', { href: `#keys?text=${encodeURIComponent(line.keyId)}` }, sentence)
  return make('span', { class: 'typed', dir: 'auto' }, sentence)
}

/** When the day of a date field begins, or one some days later, in Unix ms as text; none is empty. */
function dayStart(date: string, later: number = 0) {
  if (date === '') return ''
  const at = new Date(`${date}T00:00`)
  at.setDate(at.getDate() + later)
  return String(at.getTime())
}

/** The local day as the value of a date field. */
function dateOf(atMs: number) {
  const at = new Date(atMs)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
