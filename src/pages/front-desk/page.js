/** Helpers for every part of the page: find its elements, announce to screen readers, and mark a field. */

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

/**
 * Makes a screen reader say a sentence; nothing visible changes.
 * @param {string} sentence
 */
export function announce(sentence) {
  announcement.textContent = sentence
}

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
 * Runs the action of a form's button, one at a time, and shows on the button that it is busy.
 * @param {HTMLFormElement} form
 * @param {() => Promise<void>} work
 */
export function onSubmit(form, work) {
  const button = form.querySelector('button')
  let isBusy = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    button?.setAttribute('aria-disabled', 'true')
    try {
      await work()
    } finally {
      isBusy = false
      button?.removeAttribute('aria-disabled')
    }
  })
}
