/** The buttons below a list that turn its pages. */
import { button, make } from './elements.ts'

/** `turns` are the ways to turn, by the words on their buttons. */
export function pager(turns: Readonly<Record<string, () => void>>) {
  const place = make('p', { class: 'quiet' })
  const buttons = Object.entries(turns).map(([words, turn]) => button(words, turn, { class: 'plain' }))
  const element = make('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true }, place, ...buttons)
  return {
    element,
    /**
     * `open` are the words of the ways that lead somewhere; where none does the pager is hidden. `where` is the present
     * page.
     */
    show(open: readonly string[], where = '') {
      element.hidden = open.length === 0
      place.textContent = where
      place.hidden = where === ''
      for (const each of buttons) each.disabled = !open.includes(each.textContent)
    },
  }
}
