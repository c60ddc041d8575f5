/** The notice of a screen whose data could not be loaded. */
import { button, make } from './elements.ts'

export function troubleNotice() {
  const element = make('div', { class: 'notice', role: 'alert', hidden: true })
  return {
    element,
    /**
     * Shows the sentence and a button to try again. Repeating a sentence changes nothing, or screen readers would
     * repeat it too.
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
