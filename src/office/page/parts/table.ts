/** Tables, and the buttons that turn their pages. On a phone each row becomes a card, every value with its title. */
import { button, type Child, focusTitle, make, refocus } from './elements.ts'
import { moment } from './words.ts'

interface Column<Row> {
  readonly title: string
  /** The title is for screen readers alone. */
  readonly isTitleUnseen?: true
  readonly cell: (row: Row) => Child
  readonly className?: string
}

/**
 * A table of these rows, with a caption for screen readers. `show` replaces the rows and keeps the focus on the control
 * with the same label. A compact table stays one on a narrow page.
 */
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
    // Before the cells are made: one may take the control that it had.
    const before = document.activeElement
    body.replaceChildren(...rows.map(rowOf))
    refocus(before)
  }
  show(first)
  const heads = [make('caption', { class: 'unseen' }, caption), make('thead', {}, make('tr', {}, titles))]
  return { element: make('table', { class: isCompact ? 'table compact' : 'table' }, heads, body), show }
}

/** The last cell of an act: undoes it, or says when it was. `of` names the act for screen readers. */
export function undoCell(
  act: string,
  of: string,
  { atMs, undoneAtMs }: { readonly atMs: number; readonly undoneAtMs: number | null },
  undo: () => Promise<void>,
) {
  if (undoneAtMs !== null) return make('span', { class: 'quiet' }, `undone ${moment(undoneAtMs)}`)
  return button(act, undo, { class: 'plain', 'aria-label': `${act} of ${of}, ${moment(atMs)}` })
}

/** `turns` maps the label of each button to what it does. */
export function pager(turns: Readonly<Record<string, () => void>>) {
  const place = make('p', { class: 'quiet' })
  const buttons = new Map(
    Object.entries(turns).map(([words, turn]) => [words, button(words, turn, { class: 'plain' })]),
  )
  const element = make('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true }, place, [...buttons.values()])
  return {
    element,
    /** `open` holds the labels that are enabled; with none the pager is hidden. `where` describes the present page. */
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
