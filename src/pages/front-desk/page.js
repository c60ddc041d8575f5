/** Small means that every part of the page uses: to find its elements, to say things aloud, and to mark a field. */

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
 * Has a screen reader say a sentence; nothing changes for the eye.
 * @param {string} sentence
 */
export function announce(sentence) {
  announcement.textContent = sentence
}

/**
 * Shows beside a field what is wrong with it, or that nothing is.
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
 * Runs what a form's button does, once at a time, with the button showing that it is at work.
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
