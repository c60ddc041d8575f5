/** The notice of a screen that could not load what it shows. */
import { button, make } from './elements.js'

/**
 * Shows the sentence and a button to try again. The same sentence once more changes nothing, so that it is not read out again.
 * @param {HTMLElement} notice hidden until now, or shown
 * @param {string} sentence
 * @param {() => void} again
 */
export function showTrouble(notice, sentence, again) {
  if (!notice.hidden && notice.firstElementChild?.textContent === sentence) return
  notice.replaceChildren(make('p', {}, sentence), button('Try again', again, { class: 'plain' }))
  notice.hidden = false
}
