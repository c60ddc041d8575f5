/** Forms in dialogs, and the passphrase that is asked for again before an act of consequence. */
import { CallFailed } from './api.ts'
import { openDialog } from './dialog.ts'
import { button, field, make, onSubmit } from './elements.ts'

/** A form in a dialog, which closes when `work` yields something. The class is that of the button. */
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

/** `reason` says why it is asked for again. */
export function passphraseField(reason: string) {
  return field('Your passphrase', make('input', { type: 'password', autocomplete: 'current-password' }), reason)
}

/** What a refused call says below a field; throws what is not one. */
export function problemOf(error: unknown) {
  if (!(error instanceof CallFailed)) throw error
  return error.message
}
