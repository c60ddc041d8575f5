/** Icons, and charts of bars. */
import { make } from './elements.ts'

const PATHS: Readonly<Record<string, string>> = {
  animals: 'M4 6h16M4 12h16M4 18h10',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4.5 4.5',
  add: 'M12 5v14M5 12h14',
  import: 'M12 4v10M8 10.5l4 4l4-4M5 16v3.5h14V16',
  categories: 'M4.5 5h6v6h-6zM13.5 5h6v6h-6zM4.5 14h6v6h-6zM13.5 14h6v6h-6z',
  settings: 'M4 7h9M17 7h3M13 5v4h4v-4zM4 17h3M11 17h9M7 15v4h4v-4z',
  keys: 'M8 8.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5M11.5 12H21v3.5M17 12v3',
  people:
    'M9 5.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5M3 19c0-3.5 2.5-5 6-5s6 1.5 6 5M16 6a3 3 0 0 1 0 6M18 14.5c2 .7 3 2.2 3 4.5',
  journal: 'M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3',
  report: 'M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5v4M15.5 3.5v4M9 14.5h6M9 17h4',
  dashboard: 'M4 20h16M6.5 16v-4M12 16V6M17.5 16V9.5',
  more: 'M5 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M12 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M19 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2',
}

export function icon(name: string) {
  const path = svg('path', { d: PATHS[name] ?? '' })
  return svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, path)
}

export function svg(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Node[]) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  element.append(...children)
  return element
}

const HEIGHT = 100
const WIDTH = 10

interface Bar {
  readonly title: string
  readonly green: number
  readonly red: number
}

interface Legend {
  readonly unit: string
  readonly green: string
  readonly red: string
}

/** `name` is for screen readers; `first` and `last` stand below its ends. */
export function barChart(
  name: string,
  bars: readonly Bar[],
  [first, last]: readonly [string, string],
  { unit, ...colours }: Legend,
) {
  const highest = roundUp(Math.max(...bars.map(({ green, red }) => green + red)))
  const shapes = bars.map(({ title, green, red }, at) => {
    let top = HEIGHT
    const boxes = Object.entries({ green, red }).map(([colour, n]) => {
      const height = (HEIGHT * n) / highest
      top -= height
      return svg('rect', { x: at * WIDTH + 1, y: top, width: WIDTH - 2, height, class: colour })
    })
    const words = svg('title', {})
    words.textContent = title
    const column = svg('rect', { x: at * WIDTH, y: 0, width: WIDTH, height: HEIGHT, class: 'column' })
    return svg('g', {}, words, column, ...boxes)
  })
  const box = `0 0 ${bars.length * WIDTH} ${HEIGHT}`
  const attributes = { viewBox: box, preserveAspectRatio: 'none', class: 'bars', role: 'img', 'aria-label': name }
  const lines = [0, HEIGHT / 2].map((y) => svg('path', { d: `M0 ${y}H${bars.length * WIDTH}`, class: 'line' }))
  const chart = svg('svg', attributes, ...lines, ...shapes)
  const scale = [highest, highest / 2, 0].map((n) => make('span', {}, n.toLocaleString('en')))
  const keys = Object.entries(colours).map(([colour, words]) => {
    const square = svg('rect', { width: 1, height: 1, class: colour })
    return make('span', {}, svg('svg', { viewBox: '0 0 1 1', class: 'swatch' }, square), words)
  })
  return make(
    'figure',
    { class: 'chart' },
    make('p', { class: 'legend quiet' }, `${unit}:`, ...keys),
    make('p', { class: 'scale quiet number', 'aria-hidden': 'true' }, ...scale),
    chart,
    make('p', { class: 'ends quiet', 'aria-hidden': 'true' }, make('span', {}, first), make('span', {}, last)),
  )
}

/** A scale that ends at a round number, with a whole one in its middle. */
function roundUp(n: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, n)))
  return unit * ([2, 4, 6, 8].find((times) => times * unit >= n) ?? 10)
}
