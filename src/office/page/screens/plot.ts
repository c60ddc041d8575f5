/**
 * One chart of the dashboard. uPlot draws the lines; the legend shows the latest values, or those under the pointer
 * with their time. A line is interrupted where samples are missing, as while the service was away.
 */

import type uPlot from 'uplot'
import type { Sample } from '../../../operator/dashboard-data.ts'
import { make } from '../parts/elements.ts'
import { timeOfDay } from '../parts/words.ts'
import type { Chart } from './charts.ts'
import { exactTime, figure } from './figures.ts'

const HOUR_S = 3600
/** The shortest span shown, in seconds. */
const MIN_S = 180
/** Samples further apart than this, in seconds, have a gap between them. */
const GAP_S = 20
const HEIGHT = 180
/** Steps of the time axis, in seconds; its labels show no seconds, so none is below a minute. */
const MINUTES = [60, 120, 300, 600, 900, 1_800, 3_600]
const LETTER_PX = 7

/** Appends the chart to `parent`. `UPlot` is passed in because only the dashboard loads it. */
export function plot(
  UPlot: typeof uPlot,
  parent: HTMLElement,
  chart: Chart,
): { draw: (samples: readonly Sample[]) => void; end: () => void } {
  const { title, lines, explain } = chart
  const place = make('div', { class: 'plot', 'aria-hidden': 'true' })
  const at = make('span', { class: 'quiet number' })
  const said = lines.map(() => make('b'))
  const legend = lines.map(({ name, colour }, i) => {
    const item = make('li', {}, `${name} `, said[i])
    item.style.setProperty('--colour', `var(--${colour})`)
    return item
  })
  const note = explain === undefined ? undefined : make('p', { class: 'quiet' })
  const caption = make('figcaption', {}, make('h2', {}, title), at)
  parent.append(make('figure', { class: 'card' }, caption, place, make('ul', { class: 'legend' }, ...legend), note))

  let samples: readonly Sample[] = []
  /** As uPlot takes it: the times in Unix seconds, then the values of each line. */
  let data: (number | null | undefined)[][] = [[], ...lines.map(() => [])]
  /** The sample at each index of `data`; undefined for a gap. */
  let shown: (Sample | undefined)[] = []
  let drawn: uPlot | undefined

  /** Fills the legend; without an index, with the latest values. */
  const say = (index: number | null | undefined) => {
    const isPointed = index !== null && index !== undefined && shown[index] !== undefined
    const sample = isPointed ? shown[index] : samples.at(-1)
    at.textContent = isPointed && sample !== undefined ? `at ${exactTime(sample.atMs)}` : ''
    for (const [i, value] of said.entries()) {
      const line = lines[i]
      if (line === undefined) continue
      value.textContent = figure(sample && line.value(sample), unitOf(chart, line))
    }
    if (note !== undefined && explain !== undefined && sample !== undefined) note.textContent = explain(sample)
  }
  const span = (): uPlot.Range.MinMax => {
    const last = (samples.at(-1)?.atMs ?? Date.now()) / 1000
    return [Math.max(last - HOUR_S, Math.min((samples[0]?.atMs ?? 0) / 1000, last - MIN_S)), last]
  }
  const build = () => {
    drawn?.destroy()
    drawn = new UPlot(look(place, chart, { say, span }), data as uPlot.AlignedData, place)
  }
  const resized = new ResizeObserver(() => drawn?.setSize({ width: place.clientWidth, height: HEIGHT }))
  resized.observe(place)
  const themes = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((query) => matchMedia(query))
  for (const theme of themes) theme.addEventListener('change', build)
  build()

  return {
    draw(latest) {
      samples = latest
      shown = withGaps(latest)
      data = dataOf(chart, shown, latest)
      drawn?.setData(data as uPlot.AlignedData)
      say(drawn?.cursor.idx)
    },
    end() {
      resized.disconnect()
      for (const theme of themes) theme.removeEventListener('change', build)
      drawn?.destroy()
    },
  }
}

function unitOf({ unit, rightUnit = '' }: Chart, { onRight }: Chart['lines'][number]) {
  return onRight ? rightUnit : unit
}

/** The samples, with undefined where some are missing in between. */
function withGaps(samples: readonly Sample[]) {
  return samples.flatMap((sample, i) => {
    const before = samples[i - 1]
    return before !== undefined && sample.atMs - before.atMs > GAP_S * 1000 ? [undefined, sample] : [sample]
  })
}

/** To uPlot null interrupts a line; it draws over undefined, a value that could not be measured. */
function dataOf({ lines }: Chart, shown: readonly (Sample | undefined)[], samples: readonly Sample[]) {
  let last = samples[0]?.atMs ?? 0
  const times = shown.map((sample) => {
    last = sample?.atMs ?? last + 1
    return last / 1000
  })
  return [times, ...lines.map(({ value }) => shown.map((sample) => (sample === undefined ? null : value(sample))))]
}

/**
 * uPlot's options in the colours of the current theme. `say` gets the index under the pointer. `span` gives the limits
 * of the time axis; by itself uPlot makes a day of a single sample.
 */
function look(
  place: HTMLElement,
  { lines, unit, rightUnit = '' }: Chart,
  { say, span }: { say: (index: number | null | undefined) => void; span: () => uPlot.Range.MinMax },
): uPlot.Options {
  const style = getComputedStyle(place)
  const colour = (name: string) => style.getPropertyValue(`--${name}`)
  const axis = {
    stroke: colour('quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    size: (_: uPlot, labels: readonly string[] | null) =>
      14 + LETTER_PX * Math.max(3, ...(labels ?? []).map((label) => label.length)),
  }
  const values = (of: string) => (_: uPlot, ticks: readonly number[]) => ticks.map((tick) => figure(tick, of))
  const hasRight = lines.some(({ onRight }) => onRight)
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: span },
      y: { range: fromZero },
      right: { range: fromZero },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 60,
        incrs: MINUTES,
        values: (_, times) => times.map((time) => timeOfDay(time * 1000)),
      },
      { ...axis, values: values(unit) },
      { ...axis, values: values(rightUnit), scale: 'right', side: 1, grid: { show: false }, show: hasRight },
    ],
    series: [
      {},
      ...lines.map(({ name, colour: of, onRight }) => ({
        label: name,
        scale: onRight ? 'right' : 'y',
        stroke: colour(of),
        width: 1.75,
        points: { show: isAlone, size: 5 },
      })),
    ],
    hooks: { setCursor: [(drawn) => say(drawn.cursor.idx)] },
  }
}

function fromZero(_: uPlot, __: number, max: number): uPlot.Range.MinMax {
  return [0, max > 0 ? max * 1.1 : 1]
}

/** A line of one value would be invisible, so it is drawn as a point. */
function isAlone(drawn: uPlot, index: number) {
  return [...(drawn.data[index] ?? [])].filter((value) => typeof value === 'number').length === 1
}
