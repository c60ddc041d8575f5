/** Helpers for every part of the page: find its elements, tell people what happened, and mark a field. */

/** How long a notice stays over the page, in milliseconds. */
const NOTICE_MS = 10_000

/** The element with this id, which must be of this kind. */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page lacks its #${id}`)
}

const announcement = element('announcement', HTMLElement)
const notice = element('notice', HTMLElement)

let noticeTimer = 0

/** Makes a screen reader say a sentence; nothing visible changes. */
export function announce(sentence: string) {
  announcement.textContent = sentence
}

/** Announces what is said at a place of the page and, if that is out of view, shows it over the page as well. */
export function tell(sentence: string, place: HTMLElement) {
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

/** Shows the problem of a field next to it, or clears it. Empty for none. */
export function mark(field: HTMLInputElement | HTMLSelectElement, place: HTMLElement, problem: string) {
  place.textContent = problem
  if (problem === '') field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
}

/**
 * Moves the focus to a field, unless somebody works elsewhere on the page by now. It may be taken from `around`.
 */
export function focusFrom(field: HTMLElement, around: HTMLElement) {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body || around.contains(activeElement)) field.focus()
}
