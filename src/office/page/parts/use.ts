/** The use of one or all keys in the last 30 days, by day, outcome and operation. */
import { DAY_MS } from '../../../common/clock.ts'
import type { Sums } from '../../../store/ledger.ts'
import type { KeyUse } from '../../office-data.ts'
import { barChart } from './drawings.ts'
import { card, make } from './elements.ts'
import { table } from './table.ts'
import { dayInUtc, figure } from './words.ts'

const DAYS = 30
const KINDS = [
  ['admitted', 'Admitted'],
  ['refusedByMinute', 'Refused, over the minute limit'],
  ['refusedByDay', 'Refused, over the day limit'],
  ['refusedByBan', 'Refused, banned'],
  ['answered4xx', 'Admitted, client error (4xx)'],
  ['answered5xx', 'Admitted, server error (5xx)'],
] as const satisfies readonly (readonly [keyof Sums, string])[]

interface Use {
  readonly name: string
  readonly requests: number
}

export function outcomesCard(days: KeyUse['days']) {
  return useCard(
    'Outcomes',
    KINDS.map(([kind, name]) => ({ name, requests: sumOf(days, kind, () => true) })),
  )
}

export function useCard(name: string, rows: readonly Use[]) {
  const columns = [
    { title: 'Requests', cell: ({ name: kind }: Use) => kind },
    { title: `Last ${DAYS} days`, cell: ({ requests }: Use) => figure(requests), className: 'number' },
  ]
  return card(name, table(name, columns, { rows }))
}

export function daysCard(days: KeyUse['days'], todayMs: number) {
  const rows = Array.from({ length: DAYS }, (_, n) => {
    const dayMs = todayMs - (DAYS - 1 - n) * DAY_MS
    const of = (...kinds: readonly (keyof Sums)[]) =>
      kinds.reduce((sum, kind) => sum + sumOf(days, kind, (ms) => ms === dayMs), 0)
    const refused = of('refusedByMinute', 'refusedByDay', 'refusedByBan')
    return { dayMs, admitted: of('admitted'), refused }
  })
  const [busiest] = rows.toSorted((a, b) => b.admitted + b.refused - (a.admitted + a.refused))
  const tell = ({ dayMs, admitted, refused }: (typeof rows)[number]) =>
    `${dayInUtc(dayMs)}: ${figure(admitted)} admitted, ${figure(refused)} refused`
  const isUsed = busiest !== undefined && busiest.admitted + busiest.refused > 0
  const words = isUsed ? `The busiest day was ${tell(busiest)}.` : `No requests in the last ${DAYS} days.`
  const bars = rows.map((row) => ({ title: tell(row), green: row.admitted, red: row.refused }))
  const ends = [dayInUtc(rows[0]?.dayMs ?? todayMs), 'today'] as const
  return card(
    `The last ${DAYS} days (UTC)`,
    make('p', {}, words),
    isUsed && barChart(words, bars, ends, { unit: 'Requests a day', green: 'admitted', red: 'refused' }),
  )
}

export function sumOf(days: KeyUse['days'], kind: keyof Sums, fits: (dayMs: number) => boolean) {
  return days.reduce((sum, { dayMs, sums }) => (fits(dayMs) ? sum + sums[kind] : sum), 0)
}
