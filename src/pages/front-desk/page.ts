/** Helpers for every part of the page: find elements, announce, and mark fields. */

/** How long a notice stays, in ms. */
const NOTICE_MS = 10_000

/** The element with this id; throws if it is missing or of another kind. */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page lacks its #${id}`)
}

const announcement = element('announcement', HTMLElement)
const notice = element('notice', HTMLElement)

let noticeTimer = 0

/** Makes screen readers speak a sentence; changes nothing visible. */
export function announce(sentence: string) {
  announcement.textContent = sentence
}

/** Announces what is said at `place` and, if that is out of view, shows it in a notice as well. */
export function tell(sentence: string, place: HTMLElement) {
  announce(sentence)
  const { top, bottom } = place.getBoundingClientRect()
  // The visual viewport excludes what a phone's keyboard covers.
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

/** Shows a field's problem next to it; an empty one clears it. */
export function mark(field: HTMLInputElement | HTMLSelectElement, place: HTMLElement, problem: string) {
  place.textContent = problem
  if (problem === '') field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
}

/** Focuses a field unless the focus is on something outside of `around`. */
export function focusFrom(field: HTMLElement, around: HTMLElement) {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body || around.contains(activeElement)) field.focus()
}
