/** Tables and their pages. On a phone each row becomes a card with a title before each value. */
import { button, type Child, focusTitle, make, refocus } from './elements.ts'
import { moment } from './words.ts'

interface Column<Row> {
  readonly title: string
  readonly isTitleUnseen?: true
  readonly cell: (row: Row) => Child
  readonly className?: string
}

/** `show` replaces the rows and keeps the focus. A compact table stays a table on a phone. */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  { isCompact = false, rows: first = [] }: { isCompact?: boolean; rows?: readonly Row[] } = {},
) {
  const body = make('tbody')
  const titles = columns.map(({ title, isTitleUnseen, className = '' }) =>
    make('th', { scope: 'col', class: className }, isTitleUnseen ? make('span', { class: 'unseen' }, title) : title),
  )
  const rowOf = (row: Row) => {
    const cells = columns.map(({ title, isTitleUnseen, cell, className = '' }) =>
      make('td', { class: className, 'data-title': isTitleUnseen ? '' : title }, cell(row)),
    )
    return make('tr', {}, cells)
  }
  const show = (rows: readonly Row[]) => {
    // Read this first: a cell might reuse the focused control.
    const before = document.activeElement
    body.replaceChildren(...rows.map(rowOf))
    refocus(before)
  }
  show(first)
  const heads = [make('caption', { class: 'unseen' }, caption), make('thead', {}, make('tr', {}, titles))]
  return { element: make('table', { class: isCompact ? 'table compact' : 'table' }, heads, body), show }
}

export function undoCell(
  act: string,
  of: string,
  { atMs, undoneAtMs }: { readonly atMs: number; readonly undoneAtMs: number | null },
  undo: () => Promise<void>,
) {
  if (undoneAtMs !== null) return make('span', { class: 'quiet' }, `undone ${moment(undoneAtMs)}`)
  return button(act, undo, { class: 'plain', 'aria-label': `${act} of ${of}, ${moment(atMs)}` })
}

export function pager(turns: Readonly<Record<string, () => void>>) {
  const place = make('p', { class: 'quiet' })
  const buttons = new Map(
    Object.entries(turns).map(([words, turn]) => [words, button(words, turn, { class: 'plain' })]),
  )
  const element = make('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true }, place, [...buttons.values()])
  return {
    element,
    show(open: readonly string[], where = '') {
      const focused = document.activeElement
      element.hidden = open.length === 0
      place.textContent = where
      place.hidden = where === ''
      for (const [words, each] of buttons) each.disabled = !open.includes(words)
      if (!(element.contains(focused) && focused?.matches('[hidden] *, :disabled'))) return
      const other = buttons.get(open[0] ?? '')
      if (other === undefined) focusTitle()
      else other.focus({ preventScroll: true })
    },
  }
}
