/** Dialogs: a question before what cannot be taken back easily, and frames for a screen's own forms. */
import { button, make } from './elements.js'

/**
 * Opens a dialog above the page. Resolves when it closes, to what `close` was called with, or to undefined if it was left by
 * Escape. The focus goes back to where it was.
 * @template T
 * @param {string} title
 * @param {(close: (result?: T) => void) => readonly (Node | string)[]} build what the dialog holds
 * @returns {Promise<T | undefined>}
 */
export function openDialog(title, build) {
  const dialog = make('dialog', { class: 'dialog', 'aria-label': title })
  const before = document.activeElement
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let result
    const content = build((closedWith) => {
      result = closedWith
      dialog.close()
    })
    dialog.append(make('h2', { dir: 'auto' }, title), ...content)
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      resolve(result)
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}

/**
 * Asks a question that is answered by yes or no.
 * @param {string} title
 * @param {string} text what will happen
 * @param {string} yes what the button says that does it
 * @returns {Promise<boolean>}
 */
export async function confirm(title, text, yes) {
  const answer = await openDialog(
    title,
    /** @param {(result?: boolean) => void} close */
    (close) => [
      make('p', { class: 'typed', dir: 'auto' }, text),
      make(
        'div',
        { class: 'actions' },
        button('Cancel', () => close(false), { class: 'plain', autofocus: true }),
        button(yes, () => close(true), { class: 'danger' }),
      ),
    ],
  )
  return answer === true
}
