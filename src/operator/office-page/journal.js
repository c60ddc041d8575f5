/** The journal: who did what and when, newest first, filtered by person, animal, key and day. The filters are in the address. */

import { noteAddress } from './address.js'
import { get } from './api.js'
import { loadCategories } from './categories.js'
import { announce, button, field, make, onSubmit } from './elements.js'
import { authorWord } from './history.js'
import { actSentence, changeWords } from './journal-words.js'
import { table } from './table.js'
import { showTrouble } from './trouble.js'
import { count, moment, readInt64, sentenceOf } from './words.js'

/** @import { JournalLine, JournalPage, Person, Session } from '../office-data.ts' */
/** @import { Parameters, Shown } from './screens.js' */

/**
 * @param {HTMLElement} container
 * @param {Session} _session
 * @param {Parameters} parameters
 * @returns {Shown}
 */
export function showJournal(container, _session, { query }) {
  const journal = new Journal(query)
  container.append(make('div', { class: 'heading' }, make('h1', {}, 'Journal')), ...journal.elements)
  void loadCategories().then(() => journal.load())
  return { end: () => journal.end() }
}

class Journal {
  /** The filters as the server takes them. @type {URLSearchParams} */
  #filters
  /** @type {JournalLine[]} */
  #lines = []
  /** @type {string | null} */
  #next = null
  #asked = 0
  #names = make('datalist', { id: 'journal-names' })
  #who = field('Who', make('input', { list: 'journal-names', autocomplete: 'off', dir: 'auto' }))
  #animal = field('Animal', make('input', { inputmode: 'numeric', autocomplete: 'off' }))
  #key = field('Key', make('input', { autocomplete: 'off', placeholder: 'key_…', spellcheck: false }))
  #since = field('Since', make('input', { type: 'date' }))
  #trouble = make('div', { class: 'notice', role: 'alert', hidden: true })
  #found = make('p', { class: 'quiet' })
  #table = journalTable((line) => this.#onlyBy(line.who))
  #older = button('Older', () => void this.#loadOlder(), { class: 'plain', hidden: true })

  /** @param {URLSearchParams} query */
  constructor(query) {
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
    const card = make('section', { class: 'card', 'aria-label': 'Entries' }, this.#table.element, this.#older)
    return [form, this.#trouble, this.#found, card]
  }

  end() {
    this.#asked += 1
  }

  async load() {
    this.#table.element.classList.add('stale')
    const page = await this.#ask(this.#filters)
    if (page === undefined) return
    this.#lines = []
    this.#add(page)
    const words = this.#lines.length === 0 ? 'The journal has no such entries.' : ''
    this.#found.textContent = words
    announce(words === '' ? `${count(this.#lines.length, 'entry', 'entries')}.` : words)
  }

  async #loadOlder() {
    const first = this.#lines.length
    const page = await this.#ask(new URLSearchParams([...this.#filters, ['before', this.#next ?? '']]))
    if (page === undefined) return
    this.#add(page)
    announce(`${count(this.#lines.length - first, 'older entry', 'older entries')}.`)
  }

  /**
   * @param {URLSearchParams} query
   * @returns {Promise<JournalPage | undefined>} undefined if it failed, which has been told, or if something else is asked for by now
   */
  async #ask(query) {
    this.#asked += 1
    const asked = this.#asked
    try {
      /** @type {JournalPage} */
      const page = await get(`api/journal?${query}`)
      if (asked !== this.#asked) return undefined
      this.#trouble.hidden = true
      this.#table.element.classList.remove('stale')
      return page
    } catch (error) {
      if (asked !== this.#asked) return undefined
      // Entries of another filter would look like those of this one.
      if (!query.has('before')) {
        this.#lines = []
        this.#add({ lines: [], older: null })
      }
      const sentence = `The journal could not be loaded. ${sentenceOf(error)}`
      showTrouble(this.#trouble, sentence, () => void (query.has('before') ? this.#loadOlder() : this.load()))
      return undefined
    }
  }

  /** @param {JournalPage} page */
  #add({ lines, older }) {
    this.#lines.push(...lines)
    this.#next = older
    this.#older.hidden = older === null
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

  /** @param {string} who */
  #onlyBy(who) {
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
      /** @type {readonly Person[]} */
      const people = await get('api/people')
      this.#names.replaceChildren(...people.map(({ name }) => make('option', { value: name })))
    } catch {
      // A name can be typed as well.
    }
  }
}

/** @param {(line: JournalLine) => void} onWho */
function journalTable(onWho) {
  return table(
    'Journal',
    /** @type {import('./table.js').Column<JournalLine>[]} */ ([
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
    ]),
  )
}

/** @param {JournalLine} line */
function changesOf(line) {
  const changes = changeWords(line)
  if (changes.length === 0) return ''
  return make('ul', {}, ...changes.map((words) => make('li', { class: 'typed', dir: 'auto' }, words)))
}

/** @param {JournalLine} line */
function whatOf(line) {
  const sentence = actSentence(line)
  if (line.petId !== null) return make('a', { href: `#animal/${encodeURIComponent(line.petId)}` }, sentence)
  if (line.keyId !== null) return make('a', { href: `#keys?text=${encodeURIComponent(line.keyId)}` }, sentence)
  return make('span', { class: 'typed', dir: 'auto' }, sentence)
}

/** The day as a field of a form takes it, where the person is. @param {number} atMs */
function dateOf(atMs) {
  const at = new Date(atMs)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
