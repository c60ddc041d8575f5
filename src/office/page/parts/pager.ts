/** The buttons that turn the pages of a list. */
import { button, make } from './elements.ts'

/** `turns` maps the label of each button to what it does. */
export function pager(turns: Readonly<Record<string, () => void>>) {
  const place = make('p', { class: 'quiet' })
  const buttons = Object.entries(turns).map(([words, turn]) => button(words, turn, { class: 'plain' }))
  const element = make('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true }, place, ...buttons)
  return {
    element,
    /** `open` holds the labels that are enabled; with none the pager is hidden. `where` describes the present page. */
    show(open: readonly string[], where = '') {
      element.hidden = open.length === 0
      place.textContent = where
      place.hidden = where === ''
      for (const each of buttons) each.disabled = !open.includes(each.textContent)
    },
  }
}
