/** One chart on the page: uPlot draws the lines; the legend shows the latest values, or those under the pointer. */

/** @import { Sample } from '../dashboard-data.ts' */
/** @import { Chart } from './charts.js' */

const HOUR_S = 3600
/** A young process shows at least this much, in seconds. */
const LEAST_S = 120
const HEIGHT = 170

const template = document.querySelector('template')
const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** @param {number | null | undefined} value @param {string} [unit] */
export function figure(value, unit) {
  if (value === null || value === undefined) return '–'
  return unit === undefined ? figures.format(value) : `${figures.format(value)} ${unit}`
}

/**
 * @param {HTMLElement} parent
 * @param {Chart} chart
 * @returns {(samples: readonly Sample[]) => void} draws these samples
 */
export function plot(parent, { title, lines }) {
  const root = template === null ? undefined : document.importNode(template.content, true)
  const place = root?.querySelector('.plot')
  const heading = root?.querySelector('figcaption')
  const legend = root?.querySelector('ul')
  if (!(root && place instanceof HTMLElement && heading && legend)) throw new Error('the page lacks its template')
  heading.textContent = title
  const said = lines.map(({ name, colour }) => {
    const item = document.createElement('li')
    const value = document.createElement('b')
    item.style.setProperty('--colour', `var(--${colour})`)
    item.append(`${name} `, value)
    legend.append(item)
    return value
  })
  parent.append(root)

  /** @type {(number | null)[][]} the times in Unix seconds, then the values of each line */
  let data = [[], ...lines.map(() => [])]
  /** @type {uPlot | undefined} */
  let drawn

  /** @param {number | null | undefined} index undefined or null for the latest */
  const say = (index) => {
    for (const [i, value] of said.entries()) value.textContent = figure(data[i + 1]?.at(index ?? -1), lines[i]?.unit)
  }

  const build = () => {
    drawn?.destroy()
    drawn = new uPlot(look(place, lines, say), /** @type {uPlot.AlignedData} */ (data), place)
  }
  new ResizeObserver(() => drawn?.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', build)
  build()

  return (samples) => {
    data = [
      samples.map(({ atMs }) => atMs / 1000),
      ...lines.map(({ value }) => samples.map((sample) => value(sample) ?? null)),
    ]
    drawn?.setData(/** @type {uPlot.AlignedData} */ (data))
    say(drawn?.cursor.idx)
  }
}

/**
 * The options of the chart, in the colours of the current theme.
 * @param {HTMLElement} place
 * @param {Chart['lines']} lines
 * @param {(index: number | null | undefined) => void} say told of what is under the pointer
 * @returns {uPlot.Options}
 */
function look(place, lines, say) {
  const style = getComputedStyle(place)
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(`--${name}`)
  const axis = {
    stroke: colour('quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    size: 44,
  }
  /** @param {uPlot} _ @param {number[]} ticks */
  const values = (_, ticks) => ticks.map((tick) => figure(tick))
  const hasRight = lines.some(({ onRight }) => onRight)
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { range: (_, first, last) => [Math.max(last - HOUR_S, Math.min(first, last - LEAST_S)), last] },
      y: { range: fromZero },
      right: { range: fromZero },
    },
    axes: [
      { ...axis, size: 26, values: (_, times) => times.map(clock) },
      { ...axis, values },
      { ...axis, values, scale: 'right', side: 1, grid: { show: false }, show: hasRight },
    ],
    series: [
      {},
      ...lines.map(({ name, colour: of, onRight }) => ({
        label: name,
        scale: onRight ? 'right' : 'y',
        stroke: colour(of),
        width: 1.75,
        points: { show: isAlone, size: 5 },
        spanGaps: true,
      })),
    ],
    hooks: { setCursor: [(chart) => say(chart.cursor.idx)] },
  }
}

/** @param {uPlot} _ @param {number} __ @param {number} max @returns {uPlot.Range.MinMax} */
function fromZero(_, __, max) {
  return [0, max > 0 ? max * 1.1 : 1]
}

/**
 * A single value forms no line.
 * @param {uPlot} chart @param {number} index
 */
function isAlone(chart, index) {
  return [...(chart.data[index] ?? [])].filter((value) => value !== null).length === 1
}

/** @param {number} seconds Unix time */
function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}
