/** Dialogs: confirmations, forms, and what is seen only once, as the secret of a key or the link of an invitation. */

import { actions, announce, attempt, button, field, make, onSubmit } from './elements.ts'

/**
 * Opens a modal dialog with the elements that `build` makes. Resolves when it closes, to the argument of `close`, or to
 * undefined after Escape. The browser returns the focus to where it was.
 */
export function openDialog<T>(
  title: string,
  build: (close: (result?: T) => void) => readonly (Node | string)[],
): Promise<T | undefined> {
  const dialog = make('dialog', { class: 'dialog', 'aria-label': title })
  return new Promise((resolve) => {
    let result: T | undefined
    const content = build((closedWith) => {
      result = closedWith
      dialog.close()
    })
    dialog.append(make('h2', { dir: 'auto' }, title), ...content)
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(result)
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}

/** Asks for confirmation. `act` is the title and the button, and the word of the menu that offers it. */
export async function confirm(act: string, text: string, { isDanger = true } = {}): Promise<boolean> {
  const answer = await openDialog(act, (close: (result?: boolean) => void) => [
    make('p', { class: 'typed', dir: 'auto' }, text),
    actions(
      button('Cancel', () => close(false), { class: 'plain', autofocus: true }),
      button(act, () => close(true), { class: isDanger && 'danger' }),
    ),
  ])
  return answer === true
}

/** A form in a dialog, which closes when `work` returns a value. `act` is its title and its button. */
export function ask<T>(
  act: string,
  elements: readonly HTMLElement[],
  work: () => Promise<T | undefined>,
  { isDanger = false }: { isDanger?: boolean } = {},
): Promise<T | undefined> {
  return openDialog(act, (close: (result?: T) => void) => {
    const submit = make('button', { type: 'submit', class: isDanger && 'danger' }, act)
    const buttons = actions(
      button('Cancel', () => close(), { class: 'plain' }),
      submit,
    )
    const form = make('form', {}, ...elements, buttons)
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

/** Sends a form that the passphrase confirms, and marks what is wrong. */
export async function confirmed<T>(
  passphrase: ReturnType<typeof passphraseField>,
  sendWith: (passphrase: string) => Promise<T>,
): Promise<T | undefined> {
  const { value } = passphrase.control
  return value === '' ? void passphrase.mark('Type your passphrase.') : attempt(passphrase, () => sendWith(value))
}

/** About as many letters as fit a line. */
const LINE_LETTERS = 45

/** `text` says what the secret is, the first of `values`. Resolves when the person closes the dialog. */
export async function showOnce(title: string, text: Node | string, values: readonly { name: string; value: string }[]) {
  let mayClose = false
  const warning = make('p', { class: 'problem', role: 'alert' })
  const boxes = values.map((value, index) =>
    valueBox(value, () => {
      if (index === 0) mayClose = true
      warning.textContent = ''
    }),
  )
  const closed = openDialog(title, (close: () => void) => [
    make('p', {}, text),
    ...boxes,
    warning,
    actions(button('Done', () => close())),
  ])
  const dialog = warning.closest('dialog')
  dialog?.classList.add('wide')
  dialog?.addEventListener('cancel', (event) => {
    if (mayClose) return
    event.preventDefault()
    mayClose = true
    warning.textContent = 'It cannot be shown again. Copy it first, or close with Done.'
  })
  await closed
}

function valueBox({ name, value }: { name: string; value: string }, onCopied: () => void) {
  const text = make('textarea', {
    class: 'secret',
    readonly: true,
    rows: Math.ceil(value.length / LINE_LETTERS),
    spellcheck: false,
  })
  text.value = value
  const say = (word: string) => {
    copy.textContent = word
    copy.setAttribute('aria-label', `${word}: ${name}`)
  }
  const copy = button('', async () => {
    try {
      await navigator.clipboard.writeText(value)
      say('Copied')
    } catch {
      // The browser may refuse access to the clipboard; select the text instead.
      text.select()
      say('Press Ctrl+C')
    }
    announce(`${copy.getAttribute('aria-label')}.`)
    onCopied()
  })
  say('Copy')
  const shown = field(name, text)
  return make('div', { class: 'copied' }, shown.element, copy)
}
