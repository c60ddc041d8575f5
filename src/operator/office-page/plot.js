/**
 * One chart of the dashboard: uPlot draws the lines; the legend shows the latest values, or those under the pointer and their
 * time. A line ends where there are no samples, as while the service was away.
 */
import { make } from './elements.js'
import { exactTime, figure } from './figures.js'
import { timeOfDay } from './words.js'

/** @import { Sample } from '../dashboard-data.ts' */
/** @import { Chart } from './charts.js' */

const HOUR_S = 3600
/** A young process shows at least this much, in seconds. */
const LEAST_S = 180
/** Samples that lie further apart, in seconds, have a gap between them. */
const GAP_S = 20
const HEIGHT = 180
/** The distances of the labels of time, in seconds: never less than what a label can tell apart. */
const MINUTES = [60, 120, 300, 600, 900, 1_800, 3_600]
const LETTER_PX = 7

/**
 * @param {HTMLElement} parent
 * @param {Chart} chart
 * @returns {{ draw: (samples: readonly Sample[]) => void, end: () => void }}
 */
export function plot(parent, chart) {
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

  /** @type {readonly Sample[]} */
  let samples = []
  /** The times in Unix seconds, then the values of each line. @type {(number | null | undefined)[][]} */
  let data = [[], ...lines.map(() => [])]
  /** The place of each sample among the data, which also hold the gaps. @type {(Sample | undefined)[]} */
  let shown = []
  /** @type {uPlot | undefined} */
  let drawn

  /** @param {number | null | undefined} index undefined or null for the latest */
  const say = (index) => {
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
  /** @returns {uPlot.Range.MinMax} */
  const span = () => {
    const last = (samples.at(-1)?.atMs ?? Date.now()) / 1000
    return [Math.max(last - HOUR_S, Math.min((samples[0]?.atMs ?? 0) / 1000, last - LEAST_S)), last]
  }
  const build = () => {
    drawn?.destroy()
    drawn = new uPlot(look(place, chart, { say, span }), /** @type {uPlot.AlignedData} */ (data), place)
  }
  const resized = new ResizeObserver(() => drawn?.setSize({ width: place.clientWidth, height: HEIGHT }))
  resized.observe(place)
  const themes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
  for (const theme of themes) theme.addEventListener('change', build)
  build()

  return {
    draw(latest) {
      samples = latest
      shown = withGaps(latest)
      data = dataOf(chart, shown, latest)
      drawn?.setData(/** @type {uPlot.AlignedData} */ (data))
      say(drawn?.cursor.idx)
    },
    end() {
      resized.disconnect()
      for (const theme of themes) theme.removeEventListener('change', build)
      drawn?.destroy()
    },
  }
}

/** @param {Chart} chart @param {Chart['lines'][number]} line */
function unitOf({ unit, rightUnit = '' }, { onRight }) {
  return onRight ? rightUnit : unit
}

/**
 * The samples, and undefined where some are missing between two.
 * @param {readonly Sample[]} samples
 */
function withGaps(samples) {
  return samples.flatMap((sample, i) => {
    const before = samples[i - 1]
    return before !== undefined && sample.atMs - before.atMs > GAP_S * 1000 ? [undefined, sample] : [sample]
  })
}

/**
 * To uPlot null is a gap; undefined is a value that could not be measured, over which it draws the line.
 * @param {Chart} chart
 * @param {readonly (Sample | undefined)[]} shown
 * @param {readonly Sample[]} samples
 */
function dataOf({ lines }, shown, samples) {
  let last = samples[0]?.atMs ?? 0
  const times = shown.map((sample) => {
    last = sample?.atMs ?? last + 1
    return last / 1000
  })
  return [times, ...lines.map(({ value }) => shown.map((sample) => (sample === undefined ? null : value(sample))))]
}

/**
 * The options of the chart, in the colours of the current theme.
 * @param {HTMLElement} place
 * @param {Chart} chart
 * @param {{ say: (index: number | null | undefined) => void, span: () => uPlot.Range.MinMax }} parts `say` is told of what is under
 *   the pointer; `span` is the time to show, since uPlot itself makes a day of a single sample
 * @returns {uPlot.Options}
 */
function look(place, { lines, unit, rightUnit = '' }, { say, span }) {
  const style = getComputedStyle(place)
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(`--${name}`)
  const axis = {
    stroke: colour('quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    /** @param {uPlot} _ @param {readonly string[] | null} labels */
    size: (_, labels) => 14 + LETTER_PX * Math.max(3, ...(labels ?? []).map((label) => label.length)),
  }
  /** @param {string} of */
  const values = (of) => (/** @type {uPlot} */ _, /** @type {number[]} */ ticks) =>
    ticks.map((tick) => figure(tick, of))
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

/** @param {uPlot} _ @param {number} __ @param {number} max @returns {uPlot.Range.MinMax} */
function fromZero(_, __, max) {
  return [0, max > 0 ? max * 1.1 : 1]
}

/**
 * A single value forms no line.
 * @param {uPlot} drawn @param {number} index
 */
function isAlone(drawn, index) {
  return [...(drawn.data[index] ?? [])].filter((value) => typeof value === 'number').length === 1
}
