/** Dialogs: confirmations, forms, and secrets or links that are shown once. */

import { type Attributes, announce, button, type Child, fill, line, make, refocus } from './elements.ts'
import { field, formOf, passphraseField, submitButton } from './fields.ts'

/** Resolves on closing to the value of the button of `closing`. The browser returns the focus. */
export function openDialog(title: string, content: Child, attributes: Attributes = {}): Promise<string> {
  const dialog = make('dialog', { class: 'dialog', 'aria-label': title, ...attributes })
  fill(dialog, make('h2', { dir: 'auto' }, title), content)
  const before = document.activeElement
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (document.activeElement === document.body) refocus(before)
      resolve(dialog.returnValue)
    })
  })
}

export function closing(...buttons: Child[]) {
  return make('form', { method: 'dialog', class: 'actions' }, buttons)
}

/** Cancels open dialogs, the newest first. Returns false if one stays open, such as while it waits for a response. */
export function cancelDialogs(): boolean {
  const open = [...document.querySelectorAll<HTMLDialogElement>(OPEN)].reverse()
  return open.every((dialog) => {
    const mayClose = dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
    if (mayClose) dialog.close()
    return mayClose
  })
}

export function closeDialogs() {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) dialog.close()
}

const OPEN = '.dialog[open]'
const SENDING = '[closedby="none"]'

export function isDialogSending() {
  return document.querySelector(OPEN + SENDING) !== null
}

/** Asks for confirmation. `act` is the title, the button and the menu entry. */
export async function confirm(
  act: string,
  text: Child,
  { isDanger = true, below }: { isDanger?: boolean; below?: Child } = {},
): Promise<boolean> {
  const cancel = submitButton('Cancel', { class: 'plain', autofocus: true })
  const agree = submitButton(act, { class: isDanger && 'danger', value: 'yes' })
  return (await openDialog(act, [line(text), below, closing(cancel, agree)])) === 'yes'
}

/** Stays open until `work` returns a value, which might be a secret. `act` is the title and the button. */
export async function ask<T>(
  act: string,
  parts: readonly Child[],
  work: () => Promise<T | undefined>,
  { isDanger = false } = {},
): Promise<T | undefined> {
  let result: T | undefined
  const isSending = () => form.closest(SENDING) !== null
  const cancel = button('Cancel', () => isSending() || form.closest('dialog')?.close(), { class: 'plain' })
  const submit = async () => {
    const dialog = form.closest('dialog')
    dialog?.setAttribute('closedby', 'none')
    result = await work().finally(() => dialog?.removeAttribute('closedby'))
    if (result !== undefined) dialog?.close()
  }
  const form: HTMLFormElement = formOf(parts, submit, cancel, submitButton(act, { class: isDanger && 'danger' }))
  // For browsers without `closedby`.
  await openDialog(act, form, { oncancel: (event) => isSending() && event.preventDefault() })
  return result
}

/** Asks for the passphrase too; `reason` says why. `read` returns the body, or undefined after a problem. */
export function askConfirmed<Body, T>(
  act: string,
  parts: readonly Child[],
  reason: string,
  read: () => Body | undefined,
  sendWith: (body: Body & { passphrase: string }) => Promise<T>,
): Promise<T | undefined> {
  const confirmation = passphraseField('Your passphrase', 'current-password', reason)
  return ask(act, [...parts, confirmation], async () => {
    const body = read()
    const passphrase = confirmation.required('Type your passphrase.')
    return body === undefined || passphrase === undefined ? undefined : sendWith({ ...body, passphrase })
  })
}

const LINE_LETTERS = 45

/** Shows the first of `values`, a secret, until the person closes the dialog. `text` describes it. */
export async function showOnce(title: string, text: Child, values: Readonly<Record<string, string>>) {
  let mayClose = false
  const warning = make('p', { class: 'problem', role: 'alert' })
  const boxes = Object.entries(values).map(([name, value], index) =>
    valueBox(name, value, () => {
      if (index === 0) mayClose = true
      warning.textContent = ''
    }),
  )
  const oncancel = (event: Event) => {
    if (mayClose) return
    event.preventDefault()
    mayClose = true
    warning.textContent = 'This will not be shown again. Copy it first, or select “Done”.'
  }
  const content = [make('p', {}, text), boxes, warning, closing(submitButton('Done'))]
  await openDialog(title, content, { class: 'dialog wide', oncancel })
}

function valueBox(name: string, value: string, onCopied: () => void) {
  const rows = Math.ceil(value.length / LINE_LETTERS)
  const text = make('textarea', { class: 'secret', readonly: true, rows, spellcheck: false })
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
      text.select()
      say('Press Ctrl+C')
    }
    announce(`${copy.getAttribute('aria-label')}.`)
    onCopied()
  })
  say('Copy')
  return make('div', { class: 'copied' }, field(name, text), copy)
}
