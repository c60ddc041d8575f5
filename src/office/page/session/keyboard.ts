/** Keys that work on every screen: `/` goes to the search, `?` lists all keys. */
import { openDialog } from '../parts/dialog.ts'
import { actions, button, make } from '../parts/elements.ts'

const KEYS = [
  ['/', 'Go to the search'],
  ['?', 'Show this list'],
  ['Ctrl+Z', 'Undo what the newest notice tells'],
  ['↑ ↓', 'Open the menu of a status, and choose in it'],
  ['Esc', 'Close a menu or a dialog'],
] as const

/** The keys do nothing while somebody types, or while a dialog is open, as that of the sign-in is. */
export function listenToKeys(goSearch: () => void) {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select')
    if (ctrlKey || metaKey || altKey || isTyping || document.querySelector('dialog[open]') !== null) return
    if (key !== '/' && key !== '?') return
    event.preventDefault()
    if (key === '/') goSearch()
    else void showKeys()
  })
}

function showKeys() {
  return openDialog('Keyboard', (close) => [
    make(
      'dl',
      { class: 'keyboard' },
      ...KEYS.map(([key, what]) => make('div', {}, make('dt', {}, key), make('dd', {}, what))),
    ),
    actions(button('Close', () => close(), { class: 'plain', autofocus: true })),
  ])
}
