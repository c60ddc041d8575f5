/** `pets usage`: requests by key and operation, per day or month (UTC). */
import { DAY_MS } from '../../../common/clock.ts'
import { type LedgerSum, OUTCOMES, type Sums } from '../../../store/ledger.ts'
import { command, rowsOf } from '../../command.ts'
import { Option, parseTime } from '../../options.ts'
import { toIso } from '../../table.ts'
import { findKey } from './key-format.ts'

const PERIODS = ['day', 'month'] as const
type Period = (typeof PERIODS)[number]

const REFUSED = { 'BY MINUTE': 'refusedByMinute', 'BY DAY': 'refusedByDay', 'BY BAN': 'refusedByBan' } as const
const SUM_COLUMNS = { ADMITTED: 'admitted', ...REFUSED, '4XX': 'answered4xx', '5XX': 'answered5xx' } as const
const USUAL_DAYS = 30
const ID = 'id of a key, counted together with the keys before and after it; without it, the sum of all keys'

interface Line {
  readonly fromMs: number
  readonly operation: string
  readonly sums: Readonly<Sums>
}

export const usage = command({
  about: 'Show how many requests keys made and were refused, by period in UTC.',
  examples: [
    'pets usage',
    'pets usage key_1a2b3c4d5e6f --since 2026-11-01',
    'pets usage --by month --since 2026-01-01 --csv > usage.csv',
  ],
  takes: (command) =>
    command
      .argument('[id]', ID)
      .addOption(new Option('--by <period>', 'length of a period').choices(PERIODS).default('day'))
      .option('--since <time>', 'start of the first period, ISO 8601 (default: 30 days ago)', parseTime),
  json: 'output as JSON, one object a line',
  csv: 'output as CSV, with a header row',
  async action({ cli, open }, id, { by, since, json, csv }) {
    const store = await open()
    const key = id === undefined ? undefined : await findKey(store, id)
    const nowMs = cli.clock.now()
    const sums = await store.ledger.sums({
      lineage: key?.lineage,
      fromDay: beginOf(since ?? nowMs - USUAL_DAYS * DAY_MS, by) / DAY_MS,
      toDay: Math.floor(nowMs / DAY_MS) + 1,
    })
    return rowsOf({
      rows: linesOf(sums, by),
      toJson,
      columns: { FROM: ['fromAt', ({ fromMs }) => periodOf(fromMs, by)], OPERATION: 'operation', ...SUM_COLUMNS },
      none: json || csv ? '' : `${key === undefined ? 'No key was used' : 'The key was not used'} in this time.\n`,
    })
  },
})

function beginOf(ms: number, by: Period): number {
  const at = new Date(ms)
  return by === 'month' ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) : Math.floor(ms / DAY_MS) * DAY_MS
}

function linesOf(sums: readonly LedgerSum[], by: Period): readonly Line[] {
  const lines = new Map<string, Line>()
  for (const { day, operation, sums: more } of sums) {
    const fromMs = beginOf(day * DAY_MS, by)
    const name = `${fromMs} ${operation}`
    const before = lines.get(name)
    lines.set(name, { fromMs, operation, sums: before === undefined ? more : sumOf(before.sums, more) })
  }
  return [...lines.values()].sort((a, b) => a.fromMs - b.fromMs)
}

function sumOf(one: Readonly<Sums>, other: Readonly<Sums>): Sums {
  const sum = { ...one }
  for (const name of OUTCOMES) sum[name] += other[name]
  return sum
}

function periodOf(fromMs: number, by: Period): string {
  return toIso(fromMs)?.slice(0, { day: 10, month: 7 }[by]) ?? ''
}

function toJson({ fromMs, operation, sums }: Line) {
  return { fromAt: toIso(fromMs), operation, ...sums }
}
