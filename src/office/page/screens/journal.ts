/** The journal, newest first, filtered by person, animal, key and day. The filters are in the address. */

import { Latest } from '../../../pages/parts/latest.ts'
import type { JournalLine, JournalPage, Person, Session } from '../../office-data.ts'
import { noteAddress } from '../parts/address.ts'
import { get } from '../parts/api.ts'
import { loadCategories } from '../parts/categories.ts'
import { announce, button, field, make, onSubmit } from '../parts/elements.ts'
import { authorWord } from '../parts/history.ts'
import { pager } from '../parts/pager.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { troubleNotice } from '../parts/trouble.ts'
import { count, moment, readInt64, sentenceOf } from '../parts/words.ts'
import { actSentence, changeWords } from './journal-words.ts'

export function showJournal(container: HTMLElement, _session: Session, { query }: Parameters): Shown {
  const journal = new Journal(query)
  container.append(make('div', { class: 'heading' }, make('h1', {}, 'Journal')), ...journal.elements)
  void loadCategories().then(() => journal.load())
  return { end: () => journal.end() }
}

class Journal {
  /** The filters as query parameters. */
  #filters: URLSearchParams
  #lines: JournalLine[] = []
  #next: string | null = null
  readonly #latest = new Latest()
  #names = make('datalist', { id: 'journal-names' })
  #who = field('Who', make('input', { list: 'journal-names', autocomplete: 'off', dir: 'auto' }))
  #animal = field('Animal', make('input', { inputmode: 'numeric', autocomplete: 'off' }))
  #key = field('Key', make('input', { autocomplete: 'off', placeholder: 'key_…', spellcheck: false }))
  #since = field('Since', make('input', { type: 'date' }))
  #trouble = troubleNotice()
  #found = make('p', { class: 'quiet' })
  #table = journalTable((line) => this.#onlyBy(line.who))
  #pages = pager({ Older: () => void this.#loadOlder() })

  constructor(query: URLSearchParams) {
    this.#filters = new URLSearchParams(
      [...query].filter(([name]) => ['who', 'petId', 'keyId', 'since'].includes(name)),
    )
    this.#showFilters()
    void this.#offerNames()
  }

  get elements() {
    const form = make(
      'form',
      { class: 'bar', 'aria-label': 'Filters' },
      ...[this.#who, this.#animal, this.#key, this.#since].map(({ element }) => element),
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
      const words = this.#lines.length === 0 ? 'The journal has no such entries.' : ''
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
          this.#add({ lines: [], older: null })
        }
        const again = () => void (query.has('before') ? this.#loadOlder() : this.load())
        this.#trouble.show(`The journal could not be loaded. ${sentenceOf(error)}`, again)
      },
    )
  }

  #add({ lines, older }: JournalPage) {
    this.#lines.push(...lines)
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
    const [who, animal, key, since] = [this.#who, this.#animal, this.#key, this.#since].map(({ control }) =>
      control.value.trim(),
    )
    const petId = animal === '' ? '' : readInt64(animal ?? '')
    this.#animal.mark(petId === undefined ? 'An animal has a whole number.' : '')
    if (petId === undefined) return
    const sinceMs = since === '' ? '' : String(new Date(`${since}T00:00`).getTime())
    const wanted = { who, petId, keyId: key, since: sinceMs }
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
    const since = Number(this.#filters.get('since') ?? Number.NaN)
    this.#who.control.value = this.#filters.get('who') ?? ''
    this.#animal.control.value = this.#filters.get('petId') ?? ''
    this.#key.control.value = this.#filters.get('keyId') ?? ''
    this.#since.control.value = Number.isNaN(since) ? '' : dateOf(since)
  }

  async #offerNames() {
    try {
      const people: readonly Person[] = await get('api/people')
      this.#names.replaceChildren(...people.map(({ name }) => make('option', { value: name })))
    } catch {
      // Without the list of people, a name can still be typed.
    }
  }
}

function journalTable(onWho: (line: JournalLine) => void) {
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
    { title: 'What', cell: (line) => whatOf(line) },
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

function whatOf(line: JournalLine) {
  const sentence = actSentence(line)
  if (line.petId !== null) return make('a', { href: `#animal/${encodeURIComponent(line.petId)}` }, sentence)
  if (line.keyId !== null) return make('a', { href: `#keys?text=${encodeURIComponent(line.keyId)}` }, sentence)
  return make('span', { class: 'typed', dir: 'auto' }, sentence)
}

/** The local day as the value of a date field. */
function dateOf(atMs: number) {
  const at = new Date(atMs)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
