/** The results as a markdown table. Ratios are of medians within this run, with the lowest and highest of any round. */
import type { Series } from './measure.ts'

const HEAD = 'workload target /s rounds first÷this p50,ms p99,ms µs÷request first÷this'.split(' ')

const whole = (value: number) => Math.round(value).toLocaleString('en')

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [lower = Number.NaN, upper = Number.NaN] = [(sorted.length - 1) >> 1, sorted.length >> 1].map((n) => sorted[n])
  return (lower + upper) / 2
}

function range(values: readonly number[], write: (value: number) => string): string {
  return `${write(Math.min(...values))} – ${write(Math.max(...values))}`
}

/** The ratio of the medians. Above 1 the first target is the faster one. */
function ratio(upper: readonly number[], lower: readonly number[]): string {
  const rounds = upper.map((value, round) => value / (lower[round] ?? Number.NaN))
  return `${(median(upper) / median(lower)).toFixed(2)} (${range(rounds, (each) => each.toFixed(2))})`
}

export function tableOf(all: readonly Series[]): string {
  const rows = all.map((series) => {
    const { workload, target } = series
    const first = all.find((other) => other.workload === workload) ?? series
    const of = ({ samples }: Series, figure: keyof Series['samples'][number]) => samples.map((sample) => sample[figure])
    const cells = [
      workload,
      target.name,
      whole(median(of(series, 'perSecond'))),
      range(of(series, 'perSecond'), whole),
      ratio(of(first, 'perSecond'), of(series, 'perSecond')),
      median(of(series, 'p50Ms')).toFixed(2),
      median(of(series, 'p99Ms')).toFixed(2),
      median(of(series, 'processorUs')).toFixed(1),
      ratio(of(series, 'processorUs'), of(first, 'processorUs')),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [`| ${HEAD.join(' | ')} |`, `|${' --- |'.repeat(HEAD.length)}`, ...rows].join('\n')
}
