/** The results as markdown tables. Ratios are of medians within this run, with the lowest and highest of any round. */
import { CONNECTIONS, type Latencies } from './load/load.ts'
import { type LatencySeries, type measureRates, median, type StartUp } from './measure.ts'
import type { Target } from './targets.ts'

type RateSeries = Awaited<ReturnType<typeof measureRates>>[number]

export interface Results {
  /** A description in one line. */
  readonly machine: string
  readonly rounds: number
  readonly secondsPerRound: number
  readonly animals: number
  readonly targets: readonly Target[]
  readonly rates: readonly RateSeries[]
  readonly latencies: readonly LatencySeries[]
  readonly startUp: readonly StartUp[]
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

function range(values: readonly number[], write: (value: number) => string): string {
  return `${write(Math.min(...values))} – ${write(Math.max(...values))}`
}

function table(title: string, explanation: string, head: readonly string[], rows: readonly (readonly string[])[]) {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `### ${title}\n\n${explanation}\n\n${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`,
  ]
}

/** The ratio of the medians. Above 1 the first series is the faster one. */
function ratio(upper: readonly number[], lower: readonly number[]): string {
  const rounds = upper.map((value, round) => value / (lower[round] ?? Number.NaN))
  return `${(median(upper) / median(lower)).toFixed(2)} (${range(rounds, (each) => each.toFixed(2))})`
}

function rateTables({ rates, animals }: Results): string[] {
  const rows = rates.map((series) => {
    const { workload, target } = series
    const first = rates.find((other) => other.workload === workload) ?? series
    const rateOf = (of: RateSeries) => of.samples.map(({ perSecond }) => perSecond)
    const processorUsOf = (of: RateSeries) => of.samples.map(({ processorUs }) => processorUs)
    const isFirst = first === series
    return [
      workload.name,
      target.name,
      whole(median(rateOf(series))),
      range(rateOf(series), whole),
      isFirst ? '' : ratio(rateOf(first), rateOf(series)),
      median(processorUsOf(series)).toFixed(1),
      isFirst ? '' : ratio(processorUsOf(series), processorUsOf(first)),
    ]
  })
  return table(
    'Rates',
    `Answers a second under full load over ${whole(animals)} animals, and processor time a request, which is steadier on a busy\n` +
      'machine. Medians of the rounds; above 1 the first target is the faster one.',
    ['workload', 'target', '/s', 'rounds', 'first ÷ this', 'µs of processor', 'first ÷ this'],
    rows,
  )
}

function latencyTable({ latencies }: Results): string[] {
  const rows = latencies.map(({ workload, target, perSecond, samples }) => {
    const middle = (figure: (sample: Latencies) => number) => median(samples.map(figure)).toFixed(2)
    const figures = [middle(({ p50Ms }) => p50Ms), middle(({ p99Ms }) => p99Ms), middle(({ p999Ms }) => p999Ms)]
    return [workload.name, target.name, whole(perSecond), ...figures]
  })
  return table(
    'Latency at a fixed rate',
    'Milliseconds, counted from when each request was due. At half of what the first target reached, the peers at half of their own.',
    ['workload', 'target', 'asked /s', 'p50', 'p99', 'p99.9'],
    rows,
  )
}

function startUpTable({ startUp }: Results): string[] {
  const rows = startUp.map(({ target, samplesMs }) => [
    target.name,
    median(samplesMs).toFixed(0),
    range(samplesMs, (each) => each.toFixed(0)),
  ])
  const explanation = 'From spawning the process to its first answer (200, with a key), in milliseconds.'
  return table('Start-up', explanation, ['target', 'median', 'range'], rows)
}

export function toMarkdown(results: Results): string {
  const { machine, rounds, secondsPerRound, targets } = results
  const facts = [
    `- ${machine}; ${CONNECTIONS} connections`,
    `- ${rounds} rounds of ${secondsPerRound} s, interleaved, a fresh server and database for each`,
    ...targets.map(({ name, title }) => `- \`${name}\`: ${title}`),
  ]
  return [`${facts.join('\n')}\n`, ...rateTables(results), ...latencyTable(results), ...startUpTable(results)].join(
    '\n',
  )
}
