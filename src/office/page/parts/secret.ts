/**
 * Shows what can be seen only once: the secret of a key, the link of an invitation. Escape does not close the dialog
 * before it was copied.
 */
import { openDialog } from './dialog.ts'
import { announce, button, field, make } from './elements.ts'

/** About as many letters as fit a line. */
const LINE_LETTERS = 45

interface Shown {
  readonly title: string
  /** What the secret is, and what to do with it. */
  readonly text: string
  /** The first is the secret. */
  readonly values: readonly { name: string; value: string }[]
}

/** Resolves when the person closes the dialog. */
export async function showOnce({ title, text, values }: Shown) {
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
    make(
      'div',
      { class: 'actions' },
      button('Done', () => close()),
    ),
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
