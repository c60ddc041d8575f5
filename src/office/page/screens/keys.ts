/** The list of keys, and one key with its use in the last 30 days. The query is in the address. */

import { isPlan } from '../../../contract/plans.ts'
import type { WindowUse } from '../../../operator/dashboard-data.ts'
import { IN_FORCE, NEAR_LIMIT } from '../../../rules/keys.ts'
import type { KeyUse, OfficeKey } from '../../office-data.ts'
import { get } from '../parts/api.ts'
import { announce, button, make, quiet, refill, titled, typed, untitled } from '../parts/elements.ts'
import { searchField, select } from '../parts/fields.ts'
import { load } from '../parts/load.ts'
import { actionsButton } from '../parts/menu.ts'
import { type Parameters, replaceAddress } from '../parts/screen.ts'
import { pager, table } from '../parts/table.ts'
import { daysCard, outcomesCard, sumOf, useCard } from '../parts/use.ts'
import { count, day, figure, moment } from '../parts/words.ts'
import { editKey, issueKey, lastUseWord, revokeKey, rotateKey, unbanKey } from './key-forms.ts'

const FEW = 10

const SORTS: readonly (readonly [string, string])[] = [
  ['newest', 'Newest first'],
  ['used', 'Most used today (UTC)'],
  ['refused', 'Most refused today (UTC)'],
]

export function showKeys({ query: first }: Parameters) {
  const query = new URLSearchParams(first)
  let answered: string | undefined
  const search = searchField('Search by label or id', 'Label or id', (text) => change({ text, page: '' }))
  const sort = select(SORTS, query.get('sort') ?? '', { 'aria-label': 'Sort' })
  search.control.value = query.get('text') ?? ''
  const summary = quiet()
  const rows = keyTable()
  const turn = (by: number) => {
    change({ page: String(Number(query.get('page') ?? 1) + by) })
    rows.element.scrollIntoView({ block: 'nearest' })
  }
  const pages = pager({ Previous: () => turn(-1), Next: () => turn(1) })
  const list = untitled('List of keys', rows, pages)
  const loader = load({
    what: 'The keys',
    get: async (isOwn) => ({ isOwn, answer: await get('/api/keys', query, { isUnattended: isOwn }) }),
    show({ isOwn, answer: { total, found: n, page, pages: all, keys } }) {
      rows.show(keys)
      const words = summaryWords({ total, matches: n, isSearch: query.has('text') })
      summary.textContent = total > 0 ? `${words} Refusals are counted for today (UTC).` : words
      bar.hidden = total <= FEW && !query.has('text')
      if (!isOwn) announce(summary.textContent)
      if (page > 1) query.set('page', String(page))
      else query.delete('page')
      answered = query.toString()
      const open = [...(page > 1 ? ['Previous'] : []), ...(page < all ? ['Next'] : [])]
      pages.show(open, `Page ${figure(page)} of ${figure(all)}`)
    },
    onFail() {
      if (query.toString() === answered) return
      rows.show([])
      summary.textContent = ''
      pages.show([])
    },
    list,
    polls: () => true,
    follows: true,
  })
  const change = (changes: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value === '' || value === 'newest') query.delete(name)
      else query.set(name, value)
    }
    replaceAddress(query.size === 0 ? '#keys' : `#keys?${query}`)
    void loader.again()
  }
  sort.addEventListener('change', () => change({ sort: sort.value, page: '' }))
  const issuing = button('Create key', issueKey)
  const bar = make('div', { class: 'bar', hidden: true }, search, sort)
  return [titled('Keys', issuing), bar, loader, summary, list]
}

function summaryWords({ total, matches, isSearch }: { total: number; matches: number; isSearch: boolean }) {
  if (total === 0) return 'There are no keys yet. Partners need a key to use the API. Create the first one.'
  if (!isSearch) return `${count(total, 'key')}.`
  return matches === 0 ? 'No key has this text in its label or id.' : `${figure(matches)} of ${count(total, 'key')}.`
}

function keyTable() {
  return table<OfficeKey>('Keys', [
    { title: 'Key', cell: nameOfKey, className: 'name' },
    { title: 'Plan', cell: ({ plan }) => plan },
    { title: 'Today (UTC)', cell: ({ day }) => meterOf('today', day) },
    { title: 'Refused', cell: ({ refused }) => figure(refused), className: 'number' },
    { title: 'Last use', cell: lastUseWord },
    { title: 'Actions', isTitleUnseen: true, cell: actsOn, className: 'acts' },
  ])
}

function actsOn(key: OfficeKey) {
  if (key.state === 'revoked') return make('span')
  const isInForce = IN_FORCE.includes(key.state)
  const offer = (word: string, work: typeof editKey) => ({ word, choose: () => void work(key) })
  return actionsButton(key.label === '' ? key.id : `${key.label}, ${key.id}`, [
    key.state === 'banned' && offer('Unban key', unbanKey),
    isInForce && isPlan(key.plan) && offer('Edit key', editKey),
    isInForce && offer('Rotate key', rotateKey),
    { ...offer('Revoke key', revokeKey), isDanger: true },
  ])
}

function nameOfKey(key: OfficeKey) {
  const { id, label, state, createdAtMs, expiresAtMs } = key
  const end = expiresAtMs !== null && ` · ${state === 'expired' ? 'expired' : 'expires'} ${moment(expiresAtMs)}`
  const replaced = key.replaces.map((old) => {
    const until = old.expiresAtMs === null ? '' : `, which works until ${moment(old.expiresAtMs)}`
    return quiet('replaces ', make('code', {}, old.id), until)
  })
  return make(
    'div',
    {},
    make('a', { href: `#key/${id}` }, typed(label || 'No label', label === '' ? 'quiet' : 'strong')),
    state !== 'active' && [' ', stateOf(state)],
    quiet(make('code', {}, id), ` · since ${day(createdAtMs)}`, end),
    replaced,
    state === 'banned' && quiet(banWords(key)),
  )
}

function stateOf(state: OfficeKey['state']) {
  return make('span', { class: `badge ${state}` }, state)
}

/** The counters might know of a ban before it is stored. */
function banWords({ bannedUntilMs, ban }: OfficeKey) {
  const until = bannedUntilMs === null ? 'Banned.' : `Banned until ${moment(bannedUntilMs)}.`
  return ban === null || ban.untilMs !== bannedUntilMs ? until : `${until} ${reasonOf(ban)}.`
}

function banStory(key: OfficeKey) {
  if (key.state === 'banned') return banWords(key)
  return key.ban === null ? '' : `Last banned ${moment(key.ban.atMs)}: ${reasonOf(key.ban)}.`
}

function reasonOf({ refusals, withinMs, window, limit, count: bans }: NonNullable<OfficeKey['ban']>) {
  const often = bans === 1 ? 'its first ban' : `ban number ${figure(bans)}`
  const after = `after it reached its limit of ${figure(limit)} a ${window}`
  return `${count(refusals, 'request')} refused within ${figure(withinMs / 1_000)} s ${after}; ${often}`
}

function meterOf(name: string, { used, limit }: WindowUse) {
  const words = `${figure(used)} of ${figure(limit)}`
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const scale = { min: 0, max: 1, low: NEAR_LIMIT, high: NEAR_LIMIT, optimum: 0 }
  const meter = make('meter', { ...scale, value: share, 'aria-label': name })
  return make('div', { class: 'use' }, meter, make('span', { class: 'number' }, words))
}

export function showKeyUse({ path: [id = ''] }: Parameters) {
  const title = make('h1', {}, 'Key')
  const facts = quiet()
  const ban = quiet()
  const acts = make('div', { class: 'few' })
  const body = make('div', { hidden: true })
  const loader = load({
    what: 'The key',
    get: (isUnattended) => get('/api/keys/:id/use', { id }, { isUnattended }),
    show(use) {
      refill(title, titleOf(use))
      facts.textContent = factsOf(use)
      ban.textContent = banStory(use.key)
      refill(acts, actsOn(use.key))
      refill(body, partsOf(use, id))
      body.hidden = false
    },
    polls: () => true,
    follows: true,
  })
  const heading = make('div', { class: 'heading' }, make('div', { class: 'title' }, title, facts, ban), acts)
  return [make('a', { href: '#keys', class: 'back' }, '‹ All keys'), heading, loader, body]
}

function titleOf({ key: { label, id, state } }: KeyUse) {
  const name = make('span', { class: 'typed', dir: 'auto' }, label || id)
  return [name, state !== 'active' && [' ', stateOf(state)]]
}

function factsOf({ key }: KeyUse) {
  const { id, plan, minute, day, refused } = key
  const use = lastUseWord(key)
  const last = use === 'never' ? 'never used' : `last used ${use}`
  return `${id} · ${plan}: ${count(minute.limit, 'request')} a minute, ${figure(day.limit)} a day · ${last} · ${figure(refused)} refused today (UTC)`
}

function partsOf({ days, operations, todayMs }: KeyUse, id: string) {
  const byOperation = [...operations, ['other', 'Other requests'] as const].map(([operation, name]) => {
    const rows = days.filter((row) => row.operation === operation)
    return { name, requests: sumOf(rows, 'admitted', () => true) }
  })
  const href = `#journal?keyId=${encodeURIComponent(id)}`
  return [
    daysCard(days, todayMs),
    make('div', { class: 'two apart' }, outcomesCard(days), useCard('Operations', byOperation)),
    make('p', {}, make('a', { href, class: 'back' }, 'Journal of this key ›')),
  ]
}
