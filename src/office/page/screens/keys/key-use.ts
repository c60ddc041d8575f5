/**
 * One key: what it was asked for and refused in the last 30 days, beside the 30 before, in sum, by operation and by
 * day. Keys that it replaced, and those that replaced it, count with it.
 */

import { DAY_MS } from '../../../../common/clock.ts'
import { Latest } from '../../../../pages/parts/latest.ts'
import type { Sums } from '../../../../store/ledger.ts'
import type { KeyUse } from '../../../key-data.ts'
import type { Session } from '../../../office-data.ts'
import { get } from '../../parts/api.ts'
import { announce, make, replaceIn } from '../../parts/elements.ts'
import { keepFresh } from '../../parts/fresh.ts'
import type { Parameters, Shown } from '../../parts/screen.ts'
import { table } from '../../parts/table.ts'
import { troubleNotice } from '../../parts/trouble.ts'
import { count, dayInUtc, figure, moment, sentenceOf } from '../../parts/words.ts'
import { actsOn, banStory, stateOf } from './keys.ts'

const DAYS = 30
const KINDS = [
  ['admitted', 'Admitted'],
  ['refusedByMinute', 'Refused, the minute’s limit used up'],
  ['refusedByDay', 'Refused, the day’s limit used up'],
  ['refusedByBan', 'Refused, banned'],
  ['answered4xx', 'Admitted, but answered as mistakes (4xx)'],
  ['answered5xx', 'Admitted, but failed here (5xx)'],
] as const satisfies readonly (readonly [keyof Sums, string])[]
const OPERATIONS: Readonly<Record<KeyUse['days'][number]['operation'], string>> = {
  listPets: 'List animals',
  createPet: 'Add an animal',
  getPet: 'Fetch an animal',
  other: 'Anything else',
}

interface Compared {
  readonly name: string
  readonly now: number
  readonly before: number
}

export function showKeyUse(container: HTMLElement, _session: Session, { path: [id = ''] }: Parameters): Shown {
  const title = make('h1', {}, 'Key')
  const facts = make('p', { class: 'quiet' })
  const ban = make('p', { class: 'quiet' })
  const acts = make('div', { class: 'few' })
  const body = make('div', { hidden: true })
  const trouble = troubleNotice()
  const latest = new Latest()
  const load = (isUnattended: boolean): Promise<void> =>
    latest.ask(
      () => get<KeyUse>(`api/keys/${encodeURIComponent(id)}/use`, { isUnattended }),
      (use) => {
        trouble.hide()
        title.replaceChildren(...titleOf(use))
        facts.textContent = factsOf(use)
        ban.textContent = banStory(use.key)
        replaceIn(
          acts,
          actsOn(use.key, () => void load(false)),
        )
        body.replaceChildren(...partsOf(use, id))
        body.hidden = false
        if (!isUnattended) announce(facts.textContent)
      },
      (error) => trouble.show(`The key could not be loaded. ${sentenceOf(error)}`, () => void load(false)),
    )
  container.append(
    make('a', { href: '#keys', class: 'back' }, '‹ All keys'),
    make('div', { class: 'heading' }, make('div', { class: 'title' }, title, facts, ban), acts),
    trouble.element,
    body,
  )
  void load(false)
  const end = keepFresh(() => void load(true))
  return {
    end() {
      end()
      latest.drop()
    },
  }
}

function titleOf({ key: { label, id, state } }: KeyUse) {
  const name = make('span', { class: 'typed', dir: 'auto' }, label || id)
  return state === 'active' ? [name] : [name, ' ', stateOf(state)]
}

function factsOf({ key: { id, plan, minute, day, lastUsedAtMs } }: KeyUse) {
  const last = lastUsedAtMs === null ? 'never used' : `last used ${moment(lastUsedAtMs)}`
  return `${id} · ${plan}: ${count(minute.limit, 'request')} a minute, ${figure(day.limit)} a day · ${last}`
}

function partsOf({ days, todayMs }: KeyUse, id: string) {
  const firstMs = todayMs - (DAYS - 1) * DAY_MS
  const compare = (name: string, rows: KeyUse['days'], kind: keyof Sums): Compared => ({
    name,
    now: sumOf(rows, kind, (dayMs) => dayMs >= firstMs),
    before: sumOf(rows, kind, (dayMs) => dayMs < firstMs),
  })
  const kinds = KINDS.map(([kind, name]) => compare(name, days, kind))
  const operations = Object.entries(OPERATIONS).map(([operation, name]) =>
    compare(
      name,
      days.filter((row) => row.operation === operation),
      'admitted',
    ),
  )
  const link = make(
    'a',
    { href: `#journal?keyId=${encodeURIComponent(id)}`, class: 'back' },
    'What was done with this key ›',
  )
  return [
    make('div', { class: 'two' }, card('What became of its requests', kinds), card('Asked for', operations)),
    daysCard(days, todayMs),
    make('p', {}, link),
  ]
}

function card(name: string, rows: readonly Compared[]) {
  const shown = table<Compared>(name, [
    { title: 'Requests', cell: ({ name: kind }) => kind },
    { title: `Last ${DAYS} days`, cell: ({ now }) => figure(now), className: 'number' },
    { title: `${DAYS} before`, cell: ({ before }) => figure(before), className: 'number' },
  ])
  shown.show(rows)
  return make('section', { class: 'card' }, make('h2', {}, name), shown.element)
}

/** Each of the last days, also those without a request. */
function daysCard(days: KeyUse['days'], todayMs: number) {
  const rows = Array.from({ length: DAYS }, (_, ago) => {
    const dayMs = todayMs - ago * DAY_MS
    const of = (...kinds: readonly (keyof Sums)[]) =>
      kinds.reduce((sum, kind) => sum + sumOf(days, kind, (ms) => ms === dayMs), 0)
    return {
      dayMs,
      admitted: of('admitted'),
      refused: of('refusedByMinute', 'refusedByDay', 'refusedByBan'),
      failed: of('answered4xx', 'answered5xx'),
    }
  })
  const most = Math.max(1, ...rows.map(({ admitted }) => admitted))
  const shown = table<(typeof rows)[number]>('Each day', [
    { title: 'Day (UTC)', cell: ({ dayMs }) => dayInUtc(dayMs) },
    { title: 'Admitted', cell: ({ admitted }) => barOf(admitted, most) },
    { title: 'Refused', cell: ({ refused }) => figure(refused), className: 'number' },
    { title: 'Mistakes, failures', cell: ({ failed }) => figure(failed), className: 'number' },
  ])
  shown.show(rows)
  return make('section', { class: 'card' }, make('h2', {}, `The last ${DAYS} days`), shown.element)
}

/** The number, under a bar that shows it beside the busiest day. */
function barOf(n: number, most: number) {
  const bar = make('meter', { min: 0, max: most, value: n, 'aria-label': 'beside the busiest day' })
  return make('div', { class: 'use' }, bar, make('span', { class: 'number' }, figure(n)))
}

function sumOf(days: KeyUse['days'], kind: keyof Sums, fits: (dayMs: number) => boolean) {
  return days.reduce((sum, { dayMs, sums }) => (fits(dayMs) ? sum + sums[kind] : sum), 0)
}
