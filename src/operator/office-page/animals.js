/**
 * The list of animals, the office's home: search, filter by status, set the status of one or of several. It refreshes itself, but
 * not while somebody is in the middle of an act; what could not be loaded says so, and never stands under another question.
 */

import { noteAddress } from './address.js'
import { emptyWords, pagesOf, resultWords, severalOf, topOf } from './animal-list-parts.js'
import { animalRows } from './animal-rows.js'
import { get } from './api.js'
import { loadCategories } from './categories.js'
import { announce, button, make } from './elements.js'
import { isAtWork, keepFresh } from './fresh.js'
import { setStatus } from './set-status.js'
import { isMenuOpen } from './status-menu.js'
import { sentenceOf, timeOfDay } from './words.js'

/** @import { Animal, AnimalPage, Session, Status, StatusChanged } from '../office-data.ts' */
/** @import { Parameters, Shown } from './screens.js' */

const PAGE = 25
const TITLES = ['Name', 'Category', 'Number', 'Status']

/**
 * @param {HTMLElement} container
 * @param {Session} _session
 * @param {Parameters} parameters
 * @returns {Shown}
 */
export function showAnimals(container, _session, { query }) {
  const list = new AnimalList(query)
  container.append(...list.elements)
  void list.load()
  void loadCategories().then(() => list.redraw())
  return { end: keepFresh(() => list.refresh()) }
}

class AnimalList {
  /** What is asked for; the address names it too. */
  #question
  /** The latest answer, and the question that it answers. @type {{ page: AnimalPage, of: string } | undefined} */
  #answer
  /** Counts the questions: an older answer never replaces a newer one. */
  #asked = 0
  /** How many changes are under way. */
  #acting = 0
  #isWaiting = false

  #top = topOf({ onSearch: (text) => void this.#ask({ text }), onFilter: (status) => void this.#ask({ status }) })
  #stale = make('p', { class: 'notice', role: 'alert', hidden: true })
  #newer = button('Show the newer list', () => this.#showLatest(), { class: 'plain', hidden: true })
  #empty = make('div', { class: 'empty', hidden: true })
  #rows = animalRows({
    onChoose: (animal, status) => void this.#set([animal], status),
    onTick: () => this.#showTicked(),
  })
  #all = make('input', { type: 'checkbox', 'aria-label': 'Tick all on this page' })
  #head = make('div', { class: 'row head', hidden: true }, make('label', { class: 'tick' }, this.#all))
  #pages = pagesOf((cursor) => void this.#ask(cursor))
  #several = severalOf({
    onSet: (status) => void this.#setTicked(status),
    onClear: () => this.#rows.tickAll(false),
  })
  #card = make('section', { class: 'card list', 'aria-label': 'List' })

  /** @param {URLSearchParams} query */
  constructor(query) {
    this.#question = new URLSearchParams(query)
    this.#all.addEventListener('change', () => this.#rows.tickAll(this.#all.checked))
    this.#head.append(...TITLES.map((title) => make('span', {}, title)))
    this.#card.append(this.#head, this.#rows.element, this.#empty, this.#pages.element)
    this.#pages.show(undefined)
    this.#top.show(this.#question, undefined)
  }

  get elements() {
    return [this.#top.element, this.#stale, this.#newer, this.#card, this.#several.element]
  }

  /** The names of the categories are there. */
  redraw() {
    this.#rows.update(this.#answer?.page.animals ?? [])
  }

  /** Refreshes the list, unless somebody is in the middle of an act. */
  async refresh() {
    const isActing = isMenuOpen() || this.#acting > 0 || this.#isWaiting || this.#rows.ticked().length > 0
    if (!isActing) await this.load({ isOwn: true })
  }

  /** @param {{ isOwn?: boolean }} [how] whether the page refreshes by itself, so that no row moves under a hand */
  async load({ isOwn = false } = {}) {
    this.#asked += 1
    const [mine, of] = [this.#asked, this.#question.toString()]
    if (!isOwn) this.#wait(true)
    try {
      const asking = new URLSearchParams(this.#question)
      asking.set('limit', String(PAGE))
      /** @type {AnimalPage} */
      const page = await get(`api/animals?${asking}`, { isUnattended: isOwn })
      if (mine !== this.#asked) return
      this.#answer = { page, of }
      this.#stale.hidden = true
      if (isOwn && this.#rows.isHeld() && isAtWork()) this.#newer.hidden = this.#rows.update(page.animals)
      else this.#showLatest()
      this.#top.show(this.#question, page)
      if (!isOwn) announce(resultWords(page, this.#question))
    } catch (error) {
      if (mine === this.#asked) this.#showFailure(sentenceOf(error), of)
    } finally {
      if (mine === this.#asked) this.#wait(false)
    }
  }

  /** Asks another question. @param {Record<string, string>} change */
  #ask(change) {
    const text = change.text ?? this.#question.get('text') ?? ''
    const status = change.status ?? this.#question.get('status') ?? ''
    const { before = '', after = '' } = change
    const wanted = Object.entries({ text, status, before, after }).filter(([, value]) => value !== '')
    this.#question = new URLSearchParams(wanted)
    noteAddress(wanted.length === 0 ? '#animals' : `#animals?${this.#question}`)
    this.#top.show(this.#question, this.#answer?.page)
    this.#rows.tickAll(false)
    return this.load()
  }

  #showLatest() {
    this.#newer.hidden = true
    if (this.#answer === undefined) return
    const { page } = this.#answer
    const isEmpty = page.animals.length === 0
    this.#rows.replace(page.animals)
    this.#pages.show(page)
    this.#head.hidden = isEmpty
    this.#empty.hidden = !isEmpty
    if (!isEmpty) return
    this.#empty.replaceChildren(...emptyWords(page, this.#question, () => void this.#ask({ text: '', status: '' })))
  }

  /**
   * @param {string} sentence
   * @param {string} of the question that has no answer
   */
  #showFailure(sentence, of) {
    const again = button('Try again', () => void this.load(), { class: 'plain' })
    if (this.#answer?.of === of) {
      const at = timeOfDay(this.#answer.page.asOfMs)
      this.#stale.replaceChildren(`${sentence} This is the list as it was at ${at}; it may have changed since.`, again)
      this.#stale.hidden = false
      return
    }
    // Rows of another question would pass for its answer.
    this.#answer = undefined
    this.#rows.replace([])
    this.#pages.show(undefined)
    this.#stale.hidden = true
    this.#newer.hidden = true
    this.#head.hidden = true
    this.#empty.hidden = false
    this.#empty.replaceChildren(make('p', {}, `The animals could not be loaded. ${sentence}`), again)
    this.#top.show(this.#question, undefined)
    announce(`The animals could not be loaded. ${sentence}`)
  }

  /** @param {boolean} isWaiting */
  #wait(isWaiting) {
    this.#isWaiting = isWaiting
    this.#card.classList.toggle('waiting', isWaiting)
    this.#rows.element.setAttribute('aria-busy', String(isWaiting))
  }

  #showTicked() {
    const { length } = this.#rows.ticked()
    this.#several.show(length)
    this.#all.checked = length > 0 && length === this.#rows.size()
    this.#all.indeterminate = length > 0 && !this.#all.checked
  }

  /** @param {Status} status */
  async #setTicked(status) {
    await this.#set(this.#rows.ticked(), status)
    this.#rows.tickAll(false)
  }

  /**
   * @param {readonly Animal[]} animals
   * @param {Status} status
   */
  async #set(animals, status) {
    this.#acting += 1
    this.#rows.setBusy(animals, true)
    const result = await setStatus(animals, status, (undone) => this.#apply(undone))
    this.#acting -= 1
    this.#rows.setBusy(animals, false)
    if (result === undefined) await this.load({ isOwn: true })
    else this.#apply(result)
  }

  /** @param {StatusChanged} result */
  #apply({ changed, conflicts, missing }) {
    this.#rows.update(changed)
    this.#rows.showNews(conflicts)
    if (missing.length > 0) void this.load()
    else void this.#loadCounts()
  }

  async #loadCounts() {
    try {
      /** @type {AnimalPage} */
      const { counts } = await get('api/animals?limit=1')
      if (this.#answer === undefined) return
      this.#answer = { ...this.#answer, page: { ...this.#answer.page, counts } }
      this.#top.show(this.#question, this.#answer.page)
    } catch {
      // The next refresh of the list tells that the service is gone.
    }
  }
}
