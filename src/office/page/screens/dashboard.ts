/**
 * The dashboard: a verdict that links to each problem, the animals by status, and the requests and refusals of 30 days. The
 * process's own figures are below, under "Details". It refreshes itself while it is visible.
 */

import { HOUR_MS } from '../../../common/clock.ts'
import type { DashboardState } from '../../office-data.ts'
import { get } from '../parts/api.ts'
import { barChart } from '../parts/drawings.ts'
import { actions, announce, card, make, quiet, refill, titled, typed } from '../parts/elements.ts'
import { loading } from '../parts/notices.ts'
import { count, dayInUtc, figure, moment, ownZone, STATUSES, statusIn, timeOfDay, zoneWord } from '../parts/words.ts'

const SPANS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
]
const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function showDashboard() {
  const asOf = make('p', { class: 'quiet number' })
  const verdict = make('section', { class: 'verdict', 'aria-label': 'Is all well?' })
  const body = make('div')
  const inside = make('div')
  const summary = make('summary', {}, 'Details')
  const details = make('details', { class: 'card apart', hidden: true }, summary, inside)
  let announced = ''
  const loader = loading(
    (problem) =>
      `${problem} ${asOf.textContent === '' ? 'Nothing is shown yet' : `What is shown is ${asOf.textContent}`}.`,
    (isUnattended) => get('/api/dashboard', {}, { isUnattended }),
    (state) => {
      asOf.textContent = `as of ${timeOfDay(state.atMs)}, ${zoneWord(ownZone())}`
      refill(verdict, verdictOf(state))
      const needs = JSON.stringify(state.needs)
      if (announced !== needs) announce(verdict.textContent)
      announced = needs
      refill(body, animalsOf(state), make('div', { class: 'two apart' }, requestsOf(state), keysNearLimits(state)))
      refill(inside, detailsOf(state))
      details.hidden = false
    },
  )
  loader.begin({ polls: () => true })
  return [titled('Dashboard', asOf), loader, verdict, body, details]
}

function verdictOf({ needs }: DashboardState): readonly HTMLElement[] {
  if (needs.length === 0) return [make('p', { class: 'well' }, 'All is well.')]
  const one = needs.length === 1
  const lines = needs.map(({ sentence, href, untilMs }) =>
    make('li', {}, make('a', { href }, untilMs === null ? sentence : `${sentence} until ${moment(untilMs)}.`)),
  )
  const words = `${count(needs.length, 'thing')} ${one ? 'needs' : 'need'} you:`
  return [make('p', { class: 'unwell' }, words), make('ul', {}, lines)]
}

function animalsOf({ animals }: DashboardState) {
  const tiles = STATUSES.map((one) => {
    const status = one ?? 'none'
    return tile(statusIn(one), animals?.[status] ?? null, `#animals?status=${status}`)
  })
  const all = animals === null ? null : Object.values(animals).reduce((sum, n) => sum + n, 0)
  return make('dl', { class: 'now', 'aria-label': 'Animals' }, tile('Animals', all, '#animals'), tiles)
}

function tile(name: string, n: number | null, href: string) {
  return make('div', {}, make('dt', {}, name), make('dd', {}, make('a', { href }, n === null ? '–' : figure(n))))
}

function requestsOf({ days, refusedAnonymous, startedAtMs }: DashboardState) {
  const [first, today] = [days[0], days.at(-1)]
  const words = `${count(today?.admitted ?? 0, 'request')} answered and ${figure(today?.refused ?? 0)} refused today (UTC).`
  const bars = days.map(({ dayMs, admitted, refused }) => ({
    title: `${dayInUtc(dayMs)}: ${figure(admitted)} answered, ${figure(refused)} refused`,
    green: admitted,
    red: refused,
  }))
  const legend = { unit: 'Requests a day', green: 'answered', red: 'refused' }
  const anonymous = `${figure(refusedAnonymous)} without a valid key since ${moment(startedAtMs)}.`
  return card(
    'Requests in 30 days',
    make('p', {}, words, refusedAnonymous > 0 && ` Besides, ${anonymous}`),
    barChart(`${words} By day.`, bars, [dayInUtc(first?.dayMs ?? 0), dayInUtc(today?.dayMs ?? 0)], legend),
  )
}

/** The keys that have nearly used up a window as it is now. */
function keysNearLimits({ nearLimits }: DashboardState) {
  const lines = nearLimits.map(({ id, label, used, limit, window, bannedUntilMs }) => {
    const of = `${figure(used)} of ${figure(limit)} ${window === 'minute' ? 'this minute' : 'today (UTC)'}`
    const words = bannedUntilMs === null ? of : `${of}, banned until ${moment(bannedUntilMs)}`
    return make('li', {}, make('a', { href: `#key/${id}` }, typed(label || id)), make('span', {}, words))
  })
  const sorts = ['used', 'refused'].map((sort) =>
    make('a', { href: `#keys?sort=${sort}`, class: 'lone' }, `Keys, most ${sort} first`),
  )
  const none = lines.length === 0 && quiet('None.')
  return card('Keys near their limits', none, make('ul', { class: 'most' }, lines), actions(sorts))
}

function detailsOf(state: DashboardState) {
  const { latest, version, startedAtMs } = state
  const facts: readonly (readonly [string, string])[] = [
    ['Latency, median', inUnit(latest?.p50Ms, 'ms')],
    ['Latency, 99th percentile', inUnit(latest?.p99Ms, 'ms')],
    ['Commits of new animals', inUnit(latest?.commits, 'a second')],
    ['Event loop delay', inUnit(latest?.loopDelayMs, 'ms')],
    ['Memory', inUnit(latest && latest.rssBytes / 2 ** 20, 'MiB')],
    ['Backups', backupWords(state)],
    ['Version', `${version}, running since ${moment(startedAtMs)}`],
  ]
  const lines = facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)))
  return make('dl', { class: 'facts-list' }, lines)
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
