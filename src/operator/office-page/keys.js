/**
 * The keys: found by label or id, sorted by age, by use today or by refusals, page by page; issued, rotated and revoked. What was
 * asked for is in the address. Rows that answer another question than the one asked are never left standing as if they were it.
 */

import { noteAddress } from './address.js'
import { get } from './api.js'
import { announce, button, make, typed } from './elements.js'
import { keepFresh } from './fresh.js'
import { issueKey, revokeKey, rotateKey } from './key-forms.js'
import { table } from './table.js'
import { showTrouble } from './trouble.js'
import { count, day, figure, moment, sentenceOf } from './words.js'

/** @import { KeyPage, OfficeKey, Session } from '../office-data.ts' */
/** @import { WindowUse } from '../dashboard-data.ts' */
/** @import { Parameters, Shown } from './screens.js' */

const TYPING_MS = 250
/** From this share on a meter changes its colour. */
const NEARLY = 0.85
/** @type {readonly (readonly [string, string])[]} */
const SORTS = [
  ['newest', 'Newest first'],
  ['used', 'Most used today (UTC)'],
  ['refused', 'Most refused'],
]

/**
 * @param {HTMLElement} container
 * @param {Session} _session
 * @param {Parameters} parameters
 * @returns {Shown}
 */
export function showKeys(container, _session, { query }) {
  const list = new KeyList(query)
  container.append(...list.elements)
  void list.load()
  const end = keepFresh(() => void list.load({ isOwn: true }))
  return {
    end() {
      end()
      list.end()
    },
  }
}

class KeyList {
  #question
  /** Counts the questions: an older answer never replaces a newer one. */
  #asked = 0
  /** The question that the rows answer. @type {string | undefined} */
  #answered
  #timer = 0

  #search = make('input', {
    type: 'search',
    'aria-label': 'Search by label or id',
    placeholder: 'Search by label or id',
  })
  #sort = make('select', { 'aria-label': 'Sort' }, ...SORTS.map(([value, name]) => make('option', { value }, name)))
  #found = make('p', { class: 'quiet' })
  #trouble = make('div', { class: 'notice', role: 'alert', hidden: true })
  #table = keyTable({
    onRotate: (key) => void rotateKey(key, () => this.load()),
    onRevoke: (key) => void revokeKey(key, () => this.load()),
  })
  #before = button('Previous', () => this.#turn(-1), { class: 'plain' })
  #after = button('Next', () => this.#turn(1), { class: 'plain' })
  #place = make('p', { class: 'quiet' })
  #pages = make('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true }, this.#place, this.#before, this.#after)

  /** @param {URLSearchParams} query */
  constructor(query) {
    this.#question = new URLSearchParams(query)
    this.#search.value = query.get('text') ?? ''
    this.#sort.value = SORTS.find(([value]) => value === query.get('sort'))?.[0] ?? 'newest'
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#ask({ text: this.#search.value.trim(), page: '' }), TYPING_MS)
    })
    this.#sort.addEventListener('change', () => this.#ask({ sort: this.#sort.value, page: '' }))
  }

  get elements() {
    const heading = make(
      'div',
      { class: 'heading' },
      make('h1', {}, 'Keys'),
      button('New key', () => void issueKey(() => this.load())),
    )
    const bar = make('div', { class: 'search bar' }, this.#search, this.#sort)
    const card = make('section', { class: 'card', 'aria-label': 'List of keys' }, this.#table.element, this.#pages)
    return [heading, bar, this.#trouble, this.#found, card]
  }

  end() {
    clearTimeout(this.#timer)
    this.#asked += 1
  }

  /** @param {{ isOwn?: boolean }} [how] whether the page asks by itself, and not because of what somebody did */
  async load({ isOwn = false } = {}) {
    this.#asked += 1
    const asked = this.#asked
    const question = this.#question.toString()
    if (question !== this.#answered) this.#table.element.classList.add('stale')
    try {
      /** @type {KeyPage} */
      const page = await get(`api/keys?${question}`, { isUnattended: isOwn })
      if (asked !== this.#asked) return
      this.#answered = question
      this.#show(page, isOwn)
    } catch (error) {
      if (asked !== this.#asked) return
      this.#fail(sentenceOf(error), question)
    }
  }

  /** @param {Readonly<Record<string, string>>} change */
  #ask(change) {
    for (const [name, value] of Object.entries(change)) {
      if (value === '' || value === 'newest') this.#question.delete(name)
      else this.#question.set(name, value)
    }
    const question = this.#question.toString()
    noteAddress(question === '' ? '#keys' : `#keys?${question}`)
    void this.load()
  }

  /** @param {number} by */
  #turn(by) {
    this.#ask({ page: String(Number(this.#question.get('page') ?? 1) + by) })
    this.#table.element.scrollIntoView({ block: 'nearest' })
  }

  /** @param {KeyPage} answer @param {boolean} isOwn */
  #show({ total, found, page, pages, keys }, isOwn) {
    this.#trouble.hidden = true
    this.#table.element.classList.remove('stale')
    this.#table.show(keys)
    const isSearch = this.#question.has('text')
    this.#found.textContent = foundWords({ total, found, isSearch })
    if (!isOwn) announce(this.#found.textContent)
    if (page > 1) this.#question.set('page', String(page))
    else this.#question.delete('page')
    this.#pages.hidden = pages === 1
    this.#place.textContent = `Page ${figure(page)} of ${figure(pages)}`
    this.#before.disabled = page <= 1
    this.#after.disabled = page >= pages
  }

  /** @param {string} sentence @param {string} question */
  #fail(sentence, question) {
    if (question !== this.#answered) {
      this.#table.show([])
      this.#found.textContent = ''
      this.#pages.hidden = true
    }
    showTrouble(this.#trouble, `The keys could not be loaded. ${sentence}`, () => void this.load())
  }
}

/** @param {{ total: number, found: number, isSearch: boolean }} numbers */
function foundWords({ total, found, isSearch }) {
  if (total === 0) return 'There are no keys yet.'
  if (!isSearch) return `${count(total, 'key')} in all.`
  return found === 0 ? `No key has this in its label or id.` : `${figure(found)} of ${count(total, 'key')}.`
}

/**
 * @param {{ onRotate: (key: OfficeKey) => void, onRevoke: (key: OfficeKey) => void }} acts
 */
function keyTable({ onRotate, onRevoke }) {
  /** @param {OfficeKey} key */
  const acts = (key) => {
    const name = key.label || key.id
    const box = make('div', { class: 'few' })
    if (key.state === 'active' || key.state === 'banned') {
      box.append(button('Rotate', () => onRotate(key), { class: 'plain', 'aria-label': `Rotate ${name}` }))
    }
    if (key.state !== 'revoked') {
      box.append(button('Revoke', () => onRevoke(key), { class: 'plain', 'aria-label': `Revoke ${name}` }))
    }
    return box
  }
  /** @type {import('./table.js').Column<OfficeKey>[]} */
  const columns = [
    { title: 'Key', cell: nameOfKey, className: 'name' },
    { title: 'Plan', cell: ({ plan }) => plan },
    { title: 'This minute', cell: ({ minute }) => meterOf('this minute', minute) },
    { title: 'Today (UTC)', cell: ({ day }) => meterOf('today', day) },
    { title: 'Refused', cell: ({ refused }) => figure(refused), className: 'number' },
    { title: 'Last use', cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'never' : moment(lastUsedAtMs)) },
    { title: '', cell: acts, className: 'acts' },
  ]
  const made = table('Keys', columns)
  return made
}

/** @param {OfficeKey} key */
function nameOfKey({ id, label, state, createdAtMs, expiresAtMs }) {
  const dates = [`since ${day(createdAtMs)}`]
  if (expiresAtMs !== null) dates.push(`${state === 'expired' ? 'expired' : 'expires'} ${moment(expiresAtMs)}`)
  const box = make('div', {}, typed(label || 'No label', label === '' ? 'quiet' : 'strong'))
  if (state !== 'active') box.append(make('span', { class: `badge ${state}` }, state))
  box.append(make('p', { class: 'quiet' }, make('code', {}, id), ` · ${dates.join(' · ')}`))
  return box
}

/**
 * The used part of a window.
 * @param {string} name
 * @param {WindowUse} use
 */
export function meterOf(name, { used, limit }) {
  const words = `${figure(used)} of ${figure(limit)}`
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const meter = make('meter', {
    min: 0,
    max: 1,
    low: NEARLY,
    high: NEARLY,
    optimum: 0,
    value: share,
    'aria-label': name,
  })
  return make('div', { class: 'use' }, meter, make('span', { class: 'number' }, words))
}
