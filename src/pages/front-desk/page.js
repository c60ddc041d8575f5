/** Helpers for every part of the page: find its elements, tell people what happened, and mark a field. */

/** How long a notice stays over the page, in milliseconds. */
const NOTICE_MS = 10_000

/**
 * The element with this id, which must be of this kind.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function element(id, kind) {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page lacks its #${id}`)
}

const announcement = element('announcement', HTMLElement)
const notice = element('notice', HTMLElement)

let noticeTimer = 0

/**
 * Makes a screen reader say a sentence; nothing visible changes.
 * @param {string} sentence
 */
export function announce(sentence) {
  announcement.textContent = sentence
}

/**
 * Announces what is said at a place of the page and, if that is out of view, shows it over the page as well.
 * @param {string} sentence
 * @param {HTMLElement} place
 */
export function tell(sentence, place) {
  announce(sentence)
  const { top, bottom } = place.getBoundingClientRect()
  // Without what the keyboard of a phone covers.
  if (top >= 0 && bottom <= (window.visualViewport?.height ?? innerHeight)) return
  notice.textContent = sentence
  notice.hidden = false
  clearTimeout(noticeTimer)
  noticeTimer = setTimeout(hideNotice, NOTICE_MS)
}

export function hideNotice() {
  notice.hidden = true
}

notice.addEventListener('click', hideNotice)

/**
 * Shows the problem of a field next to it, or clears it.
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {HTMLElement} place
 * @param {string} problem empty for none
 */
export function mark(field, place, problem) {
  place.textContent = problem
  if (problem === '') field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
}

/**
 * Moves the focus to a field, unless somebody works elsewhere on the page by now.
 * @param {HTMLElement} field
 * @param {HTMLElement} around where the focus may be taken from
 */
export function focusFrom(field, around) {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body || around.contains(activeElement)) field.focus()
}
