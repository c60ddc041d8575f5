/**
 * The keys: found by label or id, sorted by age, use today or refusals; issued, changed, unbanned, rotated and revoked.
 * The question is in
 * the address, and rows never stand under a question that they do not answer.
 */

import type { WindowUse } from '../../../../operator/dashboard-data.ts'
import { Latest } from '../../../../pages/parts/latest.ts'
import type { KeyPage, OfficeKey } from '../../../key-data.ts'
import type { Session } from '../../../office-data.ts'
import { noteAddress } from '../../parts/address.ts'
import { get } from '../../parts/api.ts'
import { announce, button, make, typed } from '../../parts/elements.ts'
import { keepFresh } from '../../parts/fresh.ts'
import { pager } from '../../parts/pager.ts'
import type { Parameters, Shown } from '../../parts/screen.ts'
import { table } from '../../parts/table.ts'
import { troubleNotice } from '../../parts/trouble.ts'
import { count, day, figure, moment, sentenceOf } from '../../parts/words.ts'
import { editKey, issueKey, revokeKey, rotateKey, unbanKey } from './key-forms.ts'

const TYPING_MS = 250
/** The part of a window from which a meter changes colour. */
const NEARLY = 0.85
const SORTS: readonly (readonly [string, string])[] = [
  ['newest', 'Newest first'],
  ['used', 'Most used today (UTC)'],
  ['refused', 'Most refused'],
]

export function showKeys(container: HTMLElement, _session: Session, { query }: Parameters): Shown {
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
  readonly #latest = new Latest()
  /** The question that the rows answer. */
  #answered: string | undefined
  #timer = 0

  #search = make('input', {
    type: 'search',
    'aria-label': 'Search by label or id',
    placeholder: 'Label or id',
  })
  #sort = make('select', { 'aria-label': 'Sort' }, ...SORTS.map(([value, name]) => make('option', { value }, name)))
  #found = make('p', { class: 'quiet' })
  #trouble = troubleNotice()
  #table = keyTable(() => void this.load())
  #pages = pager({ Previous: () => this.#turn(-1), Next: () => this.#turn(1) })

  constructor(query: URLSearchParams) {
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
    const card = make(
      'section',
      { class: 'card', 'aria-label': 'List of keys' },
      this.#table.element,
      this.#pages.element,
    )
    return [heading, bar, this.#trouble.element, this.#found, card]
  }

  end() {
    clearTimeout(this.#timer)
    this.#latest.drop()
  }

  /** `isOwn`: loaded by a timer. */
  async load({ isOwn = false }: { isOwn?: boolean } = {}) {
    const question = this.#question.toString()
    if (question !== this.#answered) this.#table.element.classList.add('stale')
    await this.#latest.ask(
      () => get<KeyPage>(`api/keys?${question}`, { isUnattended: isOwn }),
      (page) => {
        this.#answered = question
        this.#show(page, isOwn)
      },
      (error) => this.#fail(sentenceOf(error), question),
    )
  }

  #ask(change: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(change)) {
      if (value === '' || value === 'newest') this.#question.delete(name)
      else this.#question.set(name, value)
    }
    const question = this.#question.toString()
    noteAddress(question === '' ? '#keys' : `#keys?${question}`)
    void this.load()
  }

  #turn(by: number) {
    this.#ask({ page: String(Number(this.#question.get('page') ?? 1) + by) })
    this.#table.element.scrollIntoView({ block: 'nearest' })
  }

  #show({ total, found, page, pages, refusedSinceMs, keys }: KeyPage, isOwn: boolean) {
    this.#trouble.hide()
    this.#table.element.classList.remove('stale')
    this.#table.show(keys)
    const isSearch = this.#question.has('text')
    this.#found.textContent = foundWords({ total, found, isSearch })
    if (total > 0) this.#found.textContent += ` Refusals are counted since ${moment(refusedSinceMs)}.`
    if (!isOwn) announce(this.#found.textContent)
    if (page > 1) this.#question.set('page', String(page))
    else this.#question.delete('page')
    const open = [...(page > 1 ? ['Previous'] : []), ...(page < pages ? ['Next'] : [])]
    this.#pages.show(open, `Page ${figure(page)} of ${figure(pages)}`)
  }

  #fail(sentence: string, question: string) {
    if (question !== this.#answered) {
      this.#table.show([])
      this.#found.textContent = ''
      this.#pages.show([])
    }
    this.#trouble.show(`The keys could not be loaded. ${sentence}`, () => void this.load())
  }
}

function foundWords({ total, found, isSearch }: { total: number; found: number; isSearch: boolean }) {
  if (total === 0) return 'There are no keys yet.'
  if (!isSearch) return `${count(total, 'key')} in all.`
  return found === 0 ? `No key has this in its label or id.` : `${figure(found)} of ${count(total, 'key')}.`
}

function keyTable(onDone: () => void) {
  return table<OfficeKey>('Keys', [
    { title: 'Key', cell: nameOfKey, className: 'name' },
    { title: 'Plan', cell: ({ plan }) => plan },
    { title: 'This minute', cell: ({ minute }) => meterOf('this minute', minute) },
    { title: 'Today (UTC)', cell: ({ day }) => meterOf('today', day) },
    { title: 'Refused', cell: ({ refused }) => figure(refused), className: 'number' },
    { title: 'Last use', cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'never' : moment(lastUsedAtMs)) },
    {
      title: 'Actions',
      isTitleUnseen: true,
      cell: (key) => make('div', { class: 'few' }, ...actsOn(key, onDone)),
      className: 'acts',
    },
  ])
}

/** The buttons of what can be done with a key. */
export function actsOn(key: OfficeKey, onDone: () => void) {
  const name = key.label === '' ? key.id : `${key.label}, ${key.id}`
  const isInForce = key.state === 'active' || key.state === 'banned'
  const offered = [
    ['Unban', unbanKey, key.state === 'banned'],
    ['Change', editKey, isInForce],
    ['Rotate', rotateKey, isInForce],
    ['Revoke', revokeKey, key.state !== 'revoked'],
  ] as const
  return offered
    .filter(([, , isOffered]) => isOffered)
    .map(([act, work]) => button(act, () => void work(key, onDone), { class: 'plain', 'aria-label': `${act} ${name}` }))
}

function nameOfKey(key: OfficeKey) {
  const { id, label, state, createdAtMs, expiresAtMs } = key
  const dates = [`since ${day(createdAtMs)}`]
  if (expiresAtMs !== null) dates.push(`${state === 'expired' ? 'expired' : 'expires'} ${moment(expiresAtMs)}`)
  const link = make('a', { href: `#key/${id}` }, typed(label || 'No label', label === '' ? 'quiet' : 'strong'))
  const box = make('div', {}, link)
  if (state !== 'active') box.append(stateOf(state))
  box.append(make('p', { class: 'quiet' }, make('code', {}, id), ` · ${dates.join(' · ')}`))
  if (state === 'banned') box.append(make('p', { class: 'quiet' }, banWords(key)))
  return box
}

export function stateOf(state: OfficeKey['state']) {
  return make('span', { class: `badge ${state}` }, state)
}

/** Until when, why and how often. The service may not have noted yet what the counters know. */
function banWords({ bannedUntilMs, ban }: OfficeKey) {
  const until = bannedUntilMs === null ? 'Banned.' : `Banned until ${moment(bannedUntilMs)}.`
  return ban === null || ban.untilMs !== bannedUntilMs ? until : `${until} ${reasonOf(ban)}.`
}

/** The ban that holds, or the last one that did; empty where there was none. */
export function banStory(key: OfficeKey) {
  if (key.state === 'banned') return banWords(key)
  return key.ban === null ? '' : `Last banned ${moment(key.ban.atMs)}: ${reasonOf(key.ban)}.`
}

function reasonOf({ refusals, withinMs, window, limit, count: bans }: NonNullable<OfficeKey['ban']>) {
  const often = bans === 1 ? 'its first ban' : `its ban no. ${figure(bans)}`
  const after = `after the ${figure(limit)} of a ${window} were used up`
  return `${count(refusals, 'request')} refused within ${figure(withinMs / 1_000)} s ${after}; ${often}`
}

/** A meter of the used part of a window. */
export function meterOf(name: string, { used, limit }: WindowUse) {
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
