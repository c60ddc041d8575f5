/** Forms in dialogs, and the passphrase that is asked for again before an act of consequence. */
import { CallFailed } from './api.js'
import { openDialog } from './dialog.js'
import { button, field, make, onSubmit } from './elements.js'

/**
 * A form in a dialog, which closes when `work` yields something.
 * @template T
 * @param {string} title
 * @param {string} label
 * @param {readonly HTMLElement[]} elements
 * @param {() => Promise<T | undefined>} work
 * @param {string} [className] of the button
 * @returns {Promise<T | undefined>}
 */
export function ask(title, label, elements, work, className = '') {
  return openDialog(
    title,
    /** @param {(result?: T) => void} close */
    (close) => {
      const form = make(
        'form',
        {},
        ...elements,
        make(
          'div',
          { class: 'actions' },
          button('Cancel', () => close(), { class: 'plain' }),
          make('button', { type: 'submit', class: className }, label),
        ),
      )
      onSubmit(form, async () => {
        const result = await work()
        if (result !== undefined) close(result)
      })
      return [form]
    },
  )
}

/**
 * @param {string} reason why it is asked for again
 */
export function passphraseField(reason) {
  return field('Your passphrase', make('input', { type: 'password', autocomplete: 'current-password' }), reason)
}

/**
 * What a refused call says below a field; throws what is not one.
 * @param {unknown} error
 */
export function problemOf(error) {
  if (!(error instanceof CallFailed)) throw error
  return error.message
}
