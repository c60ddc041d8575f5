/** A small chart of bars, a bar for each hour or day. What it shows is told in words beside it, for everybody. */
import { make, svg } from './elements.ts'

const HEIGHT = 100
const WIDTH = 10

interface Bar {
  /** Shown under the pointer, as in "3 March: 1,200 admitted". */
  readonly title: string
  /** From below upwards. */
  readonly parts: readonly { readonly n: number; readonly colour: string }[]
}

/** `name` is for screen readers; `first` and `last` stand below its ends. */
export function barChart(name: string, bars: readonly Bar[], [first, last]: readonly [string, string]) {
  const most = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { n }) => sum + n, 0)))
  const shapes = bars.map(({ title, parts }, at) => {
    let top = HEIGHT
    const boxes = parts.map(({ n, colour }) => {
      const height = (HEIGHT * n) / most
      top -= height
      return svg('rect', { x: at * WIDTH + 1, y: top, width: WIDTH - 2, height, class: colour })
    })
    const words = svg('title', {})
    words.textContent = title
    // All of its column answers the pointer, however low the bar is.
    return svg(
      'g',
      {},
      words,
      svg('rect', { x: at * WIDTH, y: 0, width: WIDTH, height: HEIGHT, class: 'column' }),
      ...boxes,
    )
  })
  const box = `0 0 ${bars.length * WIDTH} ${HEIGHT}`
  const chart = svg('svg', {
    viewBox: box,
    preserveAspectRatio: 'none',
    class: 'bars',
    role: 'img',
    'aria-label': name,
  })
  chart.append(...shapes)
  const ends = make(
    'p',
    { class: 'ends quiet', 'aria-hidden': 'true' },
    make('span', {}, first),
    make('span', {}, last),
  )
  return make('figure', {}, chart, ends)
}
