/** `pets usage`: requests by key and operation from the ledger, per hour, day or month (UTC). */
import { DAY_MS, HOUR_MS } from '../../../common/clock.ts'
import { type LedgerSum, SUMS, type Sums } from '../../../store/ledger.ts'
import { command, rowsOf } from '../../command.ts'
import { Option, parseTime } from '../../options.ts'
import { toIso } from '../../table.ts'
import { findKey } from './key-format.ts'

const PERIODS = ['hour', 'day', 'month'] as const
type Period = (typeof PERIODS)[number]

const SUM_COLUMNS = {
  ADMITTED: 'admitted',
  'BY MINUTE': 'refusedByMinute',
  'BY DAY': 'refusedByDay',
  'BY BAN': 'refusedByBan',
  '4XX': 'answered4xx',
  '5XX': 'answered5xx',
} as const
const USUAL_DAYS = 30

interface Line {
  readonly fromMs: number
  readonly operation: string
  readonly sums: Readonly<Sums>
}

export const usage = command({
  about: 'Show what keys were used for and refused, in UTC.',
  examples: [
    'pets usage',
    'pets usage key_1a2b3c4d5e6f --by hour --since 2026-11-01',
    'pets usage --by month --since 2026-01-01 --csv > usage.csv',
  ],
  takes: (command) =>
    command
      .argument('[id]', 'a key, counted with those that it replaced and that replaced it; without it all keys in sum')
      .addOption(new Option('--by <period>', 'the length of a period').choices(PERIODS).default('day'))
      .option('--since <time>', 'from the period of this time on, ISO 8601 (default: 30 days ago)', parseTime),
  json: 'one JSON object a line',
  csv: 'CSV, with a line of headings',
  async action({ cli, open }, id, { by, since, json, csv }) {
    const store = await open()
    const key = id === undefined ? undefined : await findKey(store, id)
    const nowMs = cli.clock.now()
    const sums = await store.ledger.sums({
      lineage: key?.lineage,
      fromHour: beginOf(since ?? nowMs - USUAL_DAYS * DAY_MS, by) / HOUR_MS,
      toHour: Math.floor(nowMs / HOUR_MS) + 1,
      by: by === 'hour' ? 'hour' : 'day',
    })
    const rows = linesOf(sums, by)
    return rowsOf({
      rows,
      toJson,
      columns: { FROM: ['fromAt', ({ fromMs }) => periodOf(fromMs, by)], OPERATION: 'operation', ...SUM_COLUMNS },
      none: json || csv ? '' : `${key === undefined ? 'No key was used' : 'The key was not used'} in this time.\n`,
    })
  },
})

/** Start of the period, Unix ms. */
function beginOf(ms: number, by: Period): number {
  const at = new Date(ms)
  if (by === 'month') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
  const length = by === 'hour' ? HOUR_MS : DAY_MS
  return Math.floor(ms / length) * length
}

/** Sums up the days of a month. */
function linesOf(sums: readonly LedgerSum[], by: Period): readonly Line[] {
  const lines = new Map<string, Line>()
  for (const { hour, operation, sums: more } of sums) {
    const fromMs = beginOf(hour * HOUR_MS, by)
    const name = `${fromMs} ${operation}`
    const before = lines.get(name)
    lines.set(name, { fromMs, operation, sums: before === undefined ? more : sumOf(before.sums, more) })
  }
  return [...lines.values()].sort((a, b) => a.fromMs - b.fromMs)
}

function sumOf(one: Readonly<Sums>, other: Readonly<Sums>): Sums {
  const sum = { ...one }
  for (const name of SUMS) sum[name] += other[name]
  return sum
}

function periodOf(fromMs: number, by: Period): string {
  const from = toIso(fromMs)?.slice(0, { hour: 13, day: 10, month: 7 }[by]) ?? ''
  return by === 'hour' ? `${from}:00Z` : from
}

function toJson({ fromMs, operation, sums }: Line) {
  return { fromAt: toIso(fromMs), operation, ...sums }
}
