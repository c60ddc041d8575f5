/** The notice of a screen that could not load what it shows. */
import { button, make } from './elements.ts'

export function troubleNotice() {
  const element = make('div', { class: 'notice', role: 'alert', hidden: true })
  return {
    element,
    /**
     * The sentence and a button to try again. The same sentence once more changes nothing, so that it is not read out
     * again.
     */
    show(sentence: string, again: () => void) {
      if (!element.hidden && element.firstElementChild?.textContent === sentence) return
      element.replaceChildren(make('p', {}, sentence), button('Try again', again, { class: 'plain' }))
      element.hidden = false
    },
    hide() {
      element.hidden = true
    },
  }
}
