/** The results as markdown tables for people, and as one object for programs. Ratios are of medians within this run. */

import {
  atLeast,
  atMost,
  EXECUTABLE_START_UP_GOAL_MS,
  FAR_GOAL,
  IMPORT_BESIDE_GOAL,
  OFFICE_GOALS_S,
  RATE_GOALS,
  RESIDENT_GOAL_MIB,
  SCALE_GOAL,
  SLOW_DISK_GOALS,
  START_UP_GOAL_MS,
  UNPINNED_GOAL,
} from './goals.ts'
import type { Machine } from './machine.ts'
import { FAR_CONNECTIONS, FAR_MS, type FarRates } from './measures/far.ts'
import type { ImportBeside, SlowDisk } from './measures/harder.ts'
import type { ImportRate } from './measures/import-rate.ts'
import type { Latency } from './measures/latency.ts'
import type { RecordTimes } from './measures/records.ts'
import { SCALE_SIZES } from './measures/scale.ts'
import type { StartUp } from './measures/startup.ts'
import { median, medianRate, type Series } from './measures/throughput.ts'
import { medianVisit, type PageTimes } from './pages.ts'
import type { Target } from './target.ts'

/** With fewer runs the figures only show that the benchmark works, not how fast anything is. */
const MEASUREMENT_RUNS = 3
/** Below this share of the requested rate, a latency is not one at that rate. */
const RATE_TOLERANCE = 0.97

export interface Results {
  readonly machine: Machine
  readonly engine: string
  readonly runs: number
  readonly secondsPerRun: number
  readonly animals: number
  readonly targets: readonly Target[]
  readonly rates: readonly Series[]
  readonly startUp: readonly StartUp[]
  readonly imports: readonly ImportRate[]
  readonly scale: readonly Series[]
  readonly latency: readonly Latency[]
  /** A sentence if the disk cannot be slowed. */
  readonly slowDisk: SlowDisk | string | undefined
  readonly unpinned: readonly Series[]
  readonly far: FarRates | undefined
  readonly importBeside: ImportBeside | undefined
  readonly records: RecordTimes | undefined
  readonly pages: readonly PageTimes[]
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function figure(value: number | undefined, digits: number): string {
  return value === undefined ? 'n/a' : value.toFixed(digits)
}

function range(values: readonly number[], write: (value: number) => string): string {
  return `${write(Math.min(...values))} – ${write(Math.max(...values))}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function section(title: string, explanation: string, content: string): string {
  return `### ${title}\n\n${explanation}\n\n${content}\n`
}

function medianOf(samples: Series['samples'], key: 'coresUsed' | 'residentMiB'): number | undefined {
  const known = samples.map((sample) => sample[key]).filter((value) => value !== undefined)
  return known.length === 0 ? undefined : median(known)
}

/** Of one round; undefined where the system does not tell it. */
function processorUs({ coresUsed, perSecond }: Series['samples'][number]): number | undefined {
  return coresUsed === undefined ? undefined : (coresUsed * 1e6) / perSecond
}

/** Processor time of one request. */
function medianProcessorUs({ samples }: Series): number | undefined {
  const known = samples.map(processorUs).filter((value) => value !== undefined)
  return known.length === 0 ? undefined : median(known)
}

/** This value, with the range of the same over the rounds. */
function withRounds(value: number | undefined, rounds: readonly (number | undefined)[]): string {
  const known = rounds.filter((each) => each !== undefined)
  if (value === undefined || known.length === 0) return 'n/a'
  return `${value.toFixed(2)} (${range(known, (each) => each.toFixed(2))})`
}

function divide(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b
}

/** Above 1 the first is the faster one, by rate and by processor time. */
function comparison(ours: Series, other: Series, goal: number | undefined): string[] {
  const rate = medianRate(ours) / medianRate(other)
  const rounds = ours.samples.map((mine, round) => [mine, other.samples[round] ?? mine] as const)
  return [
    `${ours.workload.name} (${ours.workload.title})`,
    other.target.name,
    withRounds(
      rate,
      rounds.map(([mine, theirs]) => mine.perSecond / theirs.perSecond),
    ),
    ours.target.name === 'ours' ? atLeast(rate, goal) : '',
    withRounds(
      divide(medianProcessorUs(other), medianProcessorUs(ours)),
      rounds.map(([mine, theirs]) => divide(processorUs(theirs), processorUs(mine))),
    ),
  ]
}

function rateTables({ engine, rates, targets, animals }: Results): string[] {
  if (rates.length === 0) return []
  const [first, ...others] = targets
  const workloads = [...Map.groupBy(rates, ({ workload }) => workload)].map(([workload, group]) => ({
    workload,
    of: (target: Target | undefined) => group.find((series) => series.target === target),
  }))
  const perSecond = workloads.map(({ workload, of }) => [
    `${workload.name} (${workload.title})`,
    ...targets.map((target) => {
      const series = of(target)
      return series ? whole(medianRate(series)) : '–'
    }),
  ])
  const ratios = workloads.flatMap(({ workload, of }) =>
    others.flatMap((target) => {
      const [ours, other] = [of(first), of(target)]
      return ours && other ? [comparison(ours, other, RATE_GOALS[engine]?.[workload.name]?.[target.name])] : []
    }),
  )
  const used = rates.map((series) => [
    series.workload.name,
    series.target.name,
    range(
      series.samples.map((sample) => sample.perSecond),
      whole,
    ),
    figure(medianOf(series.samples, 'coresUsed'), 2),
    figure(medianProcessorUs(series), 1),
    figure(medianOf(series.samples, 'residentMiB'), 0),
    series.workload.name === 'list20' && series.target.name === 'ours'
      ? atMost(medianOf(series.samples, 'residentMiB') ?? Number.NaN, RESIDENT_GOAL_MIB)
      : '',
  ])
  return [
    section(
      'Rates',
      `Answers a second under full load over ${whole(animals)} animals, median of the runs.`,
      table(['workload', ...targets.map(({ name }) => `${name} /s`)], perSecond),
    ),
    ...(ratios.length === 0
      ? []
      : [
          section(
            `\`${first?.name}\` over the others`,
            'Ratios of the medians, and of each round. By processor time a request: steadier than rates where the machine is busy.',
            table(['workload', 'over', 'rate (rounds)', 'goal', 'processor time (rounds)'], ratios),
          ),
        ]),
    section(
      'What the servers used',
      'Where a server used clearly less than its cores, it waited: for the disk, for a database, or for the load.',
      table(
        ['workload', 'target', 'runs, /s', 'cores used', 'µs of processor a request', 'RSS after the run, MiB', 'goal'],
        used,
      ),
    ),
  ]
}

function startUpTable({ startUp }: Results): string[] {
  if (startUp.length === 0) return []
  const peer = startUp.find(({ target }) => target.name === 'peer')
  const rows = startUp.map(({ target, samplesMs }) => {
    const middle = median(samplesMs)
    const overPeer = peer ? [atMost(middle, Math.round(median(peer.samplesMs)))] : []
    const goals: Record<string, readonly string[]> = {
      ours: [atMost(middle, START_UP_GOAL_MS), ...overPeer],
      executable: [atMost(middle, EXECUTABLE_START_UP_GOAL_MS)],
    }
    const spread = range(samplesMs, (each) => each.toFixed(0))
    return [target.name, middle.toFixed(0), spread, (goals[target.name] ?? []).join('; ')]
  })
  const explanation = 'From spawning the process to its first answer (200, with a key), in milliseconds.'
  return [section('Start-up', explanation, table(['target', 'median', 'range', 'goal'], rows))]
}

function importTable({ imports }: Results): string[] {
  if (imports.length === 0) return []
  const rows = imports.map(({ rows: count, samplesSeconds }) => [
    whole(count),
    median(samplesSeconds).toFixed(2),
    whole(count / median(samplesSeconds)),
  ])
  const explanation = 'The whole command, its start included, from CSV into a new database.'
  return [section('Import', explanation, table(['rows', 'seconds', 'rows/s'], rows))]
}

function scaleTable({ scale }: Results): string[] {
  if (scale.length === 0) return []
  const rows = [...Map.groupBy(scale, ({ workload }) => workload.name)].map(([name, group]) => {
    const perSecond = group.map(medianRate)
    const cost = (perSecond[0] ?? Number.NaN) / (perSecond.at(-1) ?? Number.NaN)
    return [name, ...perSecond.map(whole), cost.toFixed(2), atMost(cost, SCALE_GOAL)]
  })
  const head = ['workload', ...SCALE_SIZES.map((size) => `${whole(size)}, /s`), 'cost, largest ÷ smallest', 'goal']
  const explanation = 'The same work over more animals. Creates add to the smallest database while they are measured.'
  return [section('Scale', explanation, table(head, rows))]
}

function latencyTable({ latency }: Results): string[] {
  if (latency.length === 0) return []
  const rows = latency.map(({ workload, target, askedPerSecond, answeredPerSecond, p50Ms, p99Ms, p999Ms }) => [
    workload.name,
    target.name,
    whole(askedPerSecond),
    answeredPerSecond < askedPerSecond * RATE_TOLERANCE
      ? `${whole(answeredPerSecond)} (**short of the rate**)`
      : whole(answeredPerSecond),
    ...[p50Ms, p99Ms, p999Ms].map((each) => each.toFixed(2)),
  ])
  const explanation =
    'Milliseconds at a fixed rate, half of the target’s own peak, counted from when each request was due.\n' +
    '`raw` at the rate of the first target shows what the machine and the generator add.'
  const head = ['workload', 'target', 'asked /s', 'answered /s', 'p50', 'p99', 'p99.9']
  return [section('Latency at half the peak rate', explanation, table(head, rows))]
}

/** Each row is a ratio that matters: its name, its two parts, and whether it reaches the goal. */
function harderTable({ slowDisk, unpinned, importBeside, far }: Results): string[] {
  const rows: string[][] = []
  const row = (
    what: string,
    [upper, lower]: readonly [number, number],
    digits: number,
    goal: (ratio: number) => string,
  ) => {
    const write = (value: number) => (digits === 0 ? whole(value) : value.toFixed(digits))
    rows.push([what, write(upper), write(lower), (upper / lower).toFixed(2), goal(upper / lower)])
  }
  if (typeof slowDisk === 'object') {
    const of = (series: readonly Series[], workload: string, target: string) => {
      const found = series.find((each) => each.workload.name === workload && each.target.name === target)
      return found === undefined ? Number.NaN : medianRate(found)
    }
    const { quiet, slowed, delayMs, withinMixP99Ms, aloneP99Ms } = slowDisk
    const mix = [of(slowed, 'mix', 'ours'), of(quiet, 'mix', 'ours')] as const
    row(`mix /s, disk +${delayMs} ms over the disk as it is`, mix, 0, (ratio) => atLeast(ratio, SLOW_DISK_GOALS.mix))
    const create = [of(slowed, 'create', 'ours'), of(slowed, 'create', 'peer')] as const
    row(`create /s, disk +${delayMs} ms, ours over peer`, create, 0, (ratio) =>
      atLeast(ratio, SLOW_DISK_GOALS.createOverPeer),
    )
    row(`list20 p99 ms, disk +${delayMs} ms, within the mix over alone`, [withinMixP99Ms, aloneP99Ms], 2, (ratio) =>
      atMost(ratio, SLOW_DISK_GOALS.listP99),
    )
  }
  const [ours, raw] = ['ours', 'raw'].map((name) => unpinned.find(({ target }) => target.name === name))
  if (ours !== undefined && raw !== undefined) {
    const rates = [medianRate(ours), medianRate(raw)] as const
    row('mix /s on any core, ours over raw', rates, 0, (ratio) => atLeast(ratio, UNPINNED_GOAL))
  }
  if (importBeside !== undefined) {
    const { rows: imported, during, before } = importBeside
    row(`mix /s while ${whole(imported)} animals are imported over before`, [during, before], 0, (ratio) =>
      atLeast(ratio, IMPORT_BESIDE_GOAL),
    )
  }
  if (far !== undefined) {
    const what = `list20 /s, ${FAR_CONNECTIONS} connections, database ${FAR_MS} ms away, ours over peer`
    row(what, [far.ours, far.peer], 0, (ratio) => atLeast(ratio, FAR_GOAL))
  }
  const remark = typeof slowDisk === 'string' ? slowDisk : ''
  if (rows.length === 0 && remark === '') return []
  const explanation =
    `Where the disk is slow, where the server may use every core, and beside an import. ${remark}`.trim()
  return [section('Under harder conditions', explanation, table(['what', 'this', 'over this', 'ratio', 'goal'], rows))]
}

function recordsTable({ records }: Results): string[] {
  if (records === undefined) return []
  const { animals, findMs, setStatusMs } = records
  const rows = [
    [`find among ${whole(animals)} animals, warm`, findMs.toFixed(1), '50'],
    ['set-status of 1,000 ids, the whole command', setStatusMs.toFixed(0), '1,000'],
  ]
  return [section('The operator’s commands', 'In ms.', table(['what', 'ms', 'goal, at most'], rows))]
}

function pagesTable({ pages }: Results): string[] {
  if (pages.length === 0) return []
  const rows = pages.flatMap(({ page, network, first, second }) =>
    [first, second].map((visits, index) => {
      const { usableMs, requests, bytes } = medianVisit(visits)
      const seconds = usableMs / 1_000
      const goal = page === 'office' ? OFFICE_GOALS_S[network.name]?.[index] : undefined
      const of = `${network.name} (${whole(network.kbitPerSecond)} kbit/s, ${network.latencyMs} ms)`
      return [
        page,
        of,
        index === 0 ? 'first' : 'second',
        seconds.toFixed(2),
        range(
          visits.map((visit) => visit.usableMs / 1_000),
          (each) => each.toFixed(2),
        ),
        whole(requests),
        (bytes / 1_000).toFixed(1),
        goal === undefined ? '' : atMost(seconds, goal),
      ]
    }),
  )
  const explanation =
    'Seconds from the address to a page that can be used, in Chromium with its emulation of the network.'
  const head = ['page', 'network', 'visit', 'median, s', 'range', 'requests', 'kB', 'goal']
  return [section('Pages', explanation, table(head, rows))]
}

/** All that was measured: the executable only starts. */
function measured({ targets, startUp }: Results): readonly Target[] {
  return [...new Set([...targets, ...startUp.map(({ target }) => target)])]
}

export function toMarkdown(results: Results): string {
  const { machine, engine, runs, secondsPerRun } = results
  const caution = runs < MEASUREMENT_RUNS ? [`**${runs} runs only: a try, not a measurement.**\n`] : []
  const facts = [
    `- ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}`,
    `- ${machine.pinning}; ${machine.generator}`,
    `- ${whole(machine.fdatasyncPerSecond)} synced 4 KiB writes a second in the benchmark's folder`,
    `- engine ${engine}, ${runs} runs of ${secondsPerRun} s, interleaved, a fresh server and database for each`,
    ...measured(results).map(({ name, title }) => `- \`${name}\`: ${title}`),
  ]
  return [
    `${facts.join('\n')}\n`,
    ...caution,
    ...rateTables(results),
    ...startUpTable(results),
    ...importTable(results),
    ...scaleTable(results),
    ...latencyTable(results),
    ...harderTable(results),
    ...recordsTable(results),
    ...pagesTable(results),
  ].join('\n')
}

export function toJson(results: Results): string {
  const series = ({ workload, target, animals, samples }: Series) => ({
    workload: workload.name,
    target: target.name,
    animals,
    samples,
  })
  return JSON.stringify(
    {
      ...results,
      targets: measured(results).map(({ name, title }) => ({ name, title })),
      rates: results.rates.map(series),
      startUp: results.startUp.map(({ target, samplesMs }) => ({ target: target.name, samplesMs })),
      scale: results.scale.map(series),
      unpinned: results.unpinned.map(series),
      slowDisk:
        typeof results.slowDisk === 'object'
          ? {
              ...results.slowDisk,
              quiet: results.slowDisk.quiet.map(series),
              slowed: results.slowDisk.slowed.map(series),
            }
          : results.slowDisk,
      latency: results.latency.map((row) => ({ ...row, workload: row.workload.name, target: row.target.name })),
    },
    null,
    2,
  )
}
