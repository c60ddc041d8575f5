/** Tables. On a narrow page each row becomes a card, in which every value is preceded by the title of its column. */
import { make, replaceIn } from './elements.ts'

interface Column<Row> {
  readonly title: string
  /** The title is for screen readers alone. */
  readonly isTitleUnseen?: true
  readonly cell: (row: Row) => Node | string
  readonly className?: string
}

/**
 * A table with a caption for screen readers. `show` replaces the rows and keeps the focus on the control with the same
 * label. A compact table stays one on a narrow page.
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  { isCompact = false }: { isCompact?: boolean } = {},
) {
  const body = make('tbody')
  const titles = columns.map(({ title, isTitleUnseen, className = '' }) =>
    make('th', { scope: 'col', class: className }, isTitleUnseen ? make('span', { class: 'unseen' }, title) : title),
  )
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
        const cells = columns.map(({ title, isTitleUnseen, cell, className = '' }) =>
          make('td', { class: className, 'data-title': isTitleUnseen ? '' : title }, cell(row)),
        )
        return make('tr', {}, ...cells)
      })
      replaceIn(body, made)
    },
  }
}
