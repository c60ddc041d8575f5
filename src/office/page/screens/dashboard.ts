/**
 * The dashboard: whether all is well, in words that lead to what is not; the animals, and today's requests and
 * refusals. How the process does is below, under "Details". It asks again by itself while it is seen.
 */

import { HOUR_MS } from '../../../common/clock.ts'
import type { DashboardState, KeyPage } from '../../office-data.ts'
import { CallFailed, get } from '../parts/api.ts'
import { barChart } from '../parts/bars.ts'
import { announce, make, replaceIn, typed } from '../parts/elements.ts'
import { keepFresh } from '../parts/fresh.ts'
import { troubleNotice } from '../parts/notices.ts'
import type { Shown } from '../parts/screen.ts'
import { count, figure, moment, STATUSES, sentenceOf, statusWord, timeOfDay, zoneWord } from '../parts/words.ts'
import { meterOf } from './keys.ts'

const SHOWN_KEYS = 5
const SPANS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
]
const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function showDashboard(container: HTMLElement): Shown {
  const asOf = make('p', { class: 'quiet number' })
  const verdict = make('section', { class: 'verdict', 'aria-label': 'Is all well?' })
  const body = make('div')
  const details = make('details', { class: 'card apart' }, make('summary', {}, 'Details'))
  const inside = make('div')
  details.append(inside)
  const trouble = troubleNotice()
  let said = ''
  const load = async (isUnattended: boolean) => {
    try {
      const [state, used, refused] = await Promise.all([
        get<DashboardState>(`api/dashboard?since=${new Date().setHours(0, 0, 0, 0)}`, { isUnattended }),
        get<KeyPage>('api/keys?sort=used', { isUnattended }),
        get<KeyPage>('api/keys?sort=refused', { isUnattended }),
      ])
      trouble.hide()
      asOf.textContent = `as of ${timeOfDay(state.atMs)}, ${zoneWord()}`
      replaceIn(verdict, verdictOf(state))
      if (said !== verdict.textContent) announce(verdict.textContent)
      said = verdict.textContent
      body.replaceChildren(animalsOf(state), requestsOf(state), keysOf(state, used.keys, refused.keys))
      inside.replaceChildren(...detailsOf(state))
      details.hidden = false
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      trouble.show(
        `${sentenceOf(error)} The figures are of ${asOf.textContent || 'no time yet'}.`,
        () => void load(false),
      )
    }
  }
  details.hidden = true
  container.append(
    make('div', { class: 'heading' }, make('h1', {}, 'Dashboard'), asOf),
    trouble.element,
    verdict,
    body,
    details,
  )
  void load(false)
  return { end: keepFresh(() => load(true)) }
}

function verdictOf({ needs }: DashboardState): readonly HTMLElement[] {
  if (needs.length === 0) return [make('p', { class: 'well' }, 'All is well.')]
  const one = needs.length === 1
  return [
    make('p', { class: 'unwell' }, `${count(needs.length, 'thing')} ${one ? 'needs' : 'need'} you:`),
    make(
      'ul',
      {},
      ...needs.map(({ sentence, href, untilMs }) =>
        make('li', {}, make('a', { href }, untilMs === null ? sentence : `${sentence} until ${moment(untilMs)}.`)),
      ),
    ),
  ]
}

function animalsOf({ animals }: DashboardState) {
  const tiles = STATUSES.map((status) => [statusWord(status), status ?? 'none'] as const)
  const all = animals === null ? null : Object.values(animals).reduce((sum, n) => sum + n, 0)
  return make(
    'dl',
    { class: 'now', 'aria-label': 'Animals' },
    tile('Animals', all, '#animals'),
    ...tiles.map(([word, status]) => tile(word, animals?.[status] ?? null, `#animals?status=${status}`)),
  )
}

function tile(name: string, n: number | null, href: string) {
  return make('div', {}, make('dt', {}, name), make('dd', {}, make('a', { href }, n === null ? '–' : figure(n))))
}

function requestsOf({ today, refusedAnonymous, startedAtMs }: DashboardState) {
  const sum = (of: 'admitted' | 'refused') => today.reduce((total, hour) => total + hour[of], 0)
  const words = `${count(sum('admitted'), 'request')} answered and ${figure(sum('refused'))} refused today.`
  const bars = today.map(({ hourMs, admitted, refused }) => ({
    title: `${timeOfDay(hourMs)}–${timeOfDay(hourMs + HOUR_MS)}: ${figure(admitted)} answered, ${figure(refused)} refused`,
    parts: [
      { n: admitted, colour: 'green' },
      { n: refused, colour: 'red' },
    ],
  }))
  const anonymous = `${figure(refusedAnonymous)} without a valid key since ${moment(startedAtMs)}.`
  return make(
    'section',
    { class: 'card apart' },
    make('h2', {}, 'Requests today'),
    make('p', {}, words, ...(refusedAnonymous === 0 ? [] : [` Besides, ${anonymous}`])),
    barChart(`${words} By hour.`, bars, ['00:00', '24:00']),
  )
}

function keysOf({ warnings }: DashboardState, used: KeyPage['keys'], refused: KeyPage['keys']) {
  const users = used.filter(({ day }) => day.used > 0).slice(0, SHOWN_KEYS)
  const most = refused.filter((key) => key.refused > 0).slice(0, SHOWN_KEYS)
  return make(
    'div',
    { class: 'three apart' },
    keyList('Used most today (UTC)', users, ({ day }) => meterOf('today', day), 'used'),
    keyList('Refused most since the start', most, (key) => figure(key.refused), 'refused'),
    keyList(
      'Near their limits',
      warnings.map(({ keyId, ...warning }) => ({ ...warning, id: keyId })),
      ({ share, limit, window, atMs }) => `${share} % of ${figure(limit)} a ${window}, ${moment(atMs)}`,
    ),
  )
}

function keyList<T extends { readonly id: string; readonly label: string }>(
  title: string,
  keys: readonly T[],
  what: (key: T) => Node | string,
  sort?: string,
) {
  const lines = keys.map((key) =>
    make('li', {}, make('a', { href: `#key/${key.id}` }, typed(key.label || key.id)), make('span', {}, what(key))),
  )
  const all = sort === undefined ? undefined : make('a', { href: `#keys?sort=${sort}`, class: 'lone' }, 'All keys')
  const none = lines.length === 0 ? make('p', { class: 'quiet' }, 'None yet.') : undefined
  return make('section', { class: 'card' }, make('h2', {}, title), none, make('ul', { class: 'most' }, ...lines), all)
}

function detailsOf(state: DashboardState): readonly HTMLElement[] {
  const { latest, version, startedAtMs } = state
  const facts: readonly (readonly [string, string])[] = [
    ['Latency, median', inUnit(latest?.p50Ms, 'ms')],
    ['Latency, 99 of 100', inUnit(latest?.p99Ms, 'ms')],
    ['Commits of new animals', inUnit(latest?.commits, 'a second')],
    ['Delay of the event loop', inUnit(latest?.loopDelayMs, 'ms')],
    ['Memory', inUnit(latest && latest.rssBytes / 2 ** 20, 'MiB')],
    ['Backups', backupWords(state)],
    ['Version', `${version}, running since ${moment(startedAtMs)}`],
  ]
  return [
    make(
      'dl',
      { class: 'facts-list' },
      ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
    ),
  ]
}

/** Three digits; a dash if it could not be measured. */
function inUnit(value: number | null | undefined, unit: string) {
  return value === null || value === undefined ? '–' : `${digits.format(value)} ${unit}`
}

function backupWords({ atMs, backups }: DashboardState) {
  if (backups === null) return 'The service makes none by itself.'
  const { lastSuccessMs, failures, everyMs } = backups
  const age = lastSuccessMs === null ? 'There is none yet' : `The newest is ${spanWord(atMs - lastSuccessMs)} old`
  const failed = failures === 0 ? '' : ` ${figure(failures)} failed since the service started; its log says why.`
  return `${age}; one is made every ${spanWord(everyMs).replace(/^1 /, '')}.${failed}`
}

/** A span in its largest unit, as in "3 hours". */
function spanWord(ms: number) {
  const [length, name] = SPANS.find(([length]) => ms >= length) ?? [1_000, 'second']
  return count(Math.max(0, Math.floor(ms / length)), name)
}
