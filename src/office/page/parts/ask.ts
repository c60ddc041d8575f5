/** Forms in dialogs, and the field that confirms an act with the passphrase. */
import { CallFailed } from './api.ts'
import { openDialog } from './dialog.ts'
import { button, field, make, onSubmit } from './elements.ts'

/** A form in a dialog, which closes when `work` returns a value. `className` is the submit button's. */
export function ask<T>(
  title: string,
  label: string,
  elements: readonly HTMLElement[],
  work: () => Promise<T | undefined>,
  className: string = '',
): Promise<T | undefined> {
  return openDialog(title, (close: (result?: T) => void) => {
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
  })
}

/** `reason` is the hint below the field. */
export function passphraseField(reason: string) {
  return field('Your passphrase', make('input', { type: 'password', autocomplete: 'current-password' }), reason)
}

/** The message of a refused call, to be shown below a field; rethrows anything else. */
export function problemOf(error: unknown) {
  if (!(error instanceof CallFailed)) throw error
  return error.message
}
