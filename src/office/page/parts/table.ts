/**
 * Tables: on a narrow page each row becomes a small card, in which every value has the title of its column before it.
 */
import { make } from './elements.ts'

interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Node | string
  readonly className?: string
}

/**
 * A table with a caption for screen readers. `show` replaces its rows; the focus stays on what has the same label in
 * the new ones. A compact one stays a table on a narrow page.
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  { isCompact = false }: { isCompact?: boolean } = {},
) {
  const body = make('tbody')
  const titles = columns.map(({ title, className = '' }) => make('th', { scope: 'col', class: className }, title))
  const element = make(
    'table',
    { class: isCompact ? 'table compact' : 'table' },
    make('caption', { class: 'unseen' }, caption),
    make('thead', {}, make('tr', {}, ...titles)),
    body,
  )
  return {
    element,
    show(rows: readonly Row[]) {
      const made = rows.map((row) => {
        const cells = columns.map(({ title, cell, className = '' }) =>
          make('td', { class: className, 'data-title': title }, cell(row)),
        )
        return make('tr', {}, ...cells)
      })
      const focused = document.activeElement
      const label = body.contains(focused) ? (focused?.getAttribute('aria-label') ?? null) : null
      body.replaceChildren(...made)
      if (label === null) return
      const same = body.querySelector(`[aria-label="${CSS.escape(label)}"]`)
      if (same instanceof HTMLElement) same.focus()
    },
  }
}
