/** Dialogs: confirmations, and frames for a screen's own forms. */
import { button, make } from './elements.ts'

/**
 * Opens a modal dialog with the elements that `build` makes. Resolves when it closes, to the argument of `close`, or to
 * undefined after Escape. The focus returns to where it was.
 */
export function openDialog<T>(
  title: string,
  build: (close: (result?: T) => void) => readonly (Node | string)[],
): Promise<T | undefined> {
  const dialog = make('dialog', { class: 'dialog', 'aria-label': title })
  const before = document.activeElement
  return new Promise((resolve) => {
    let result: T | undefined
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

/** Asks for confirmation. `text` says what will happen; `yes` labels the button that does it. */
export async function confirm(title: string, text: string, yes: string): Promise<boolean> {
  const answer = await openDialog(title, (close: (result?: boolean) => void) => [
    make('p', { class: 'typed', dir: 'auto' }, text),
    make(
      'div',
      { class: 'actions' },
      button('Cancel', () => close(false), { class: 'plain', autofocus: true }),
      button(yes, () => close(true), { class: 'danger' }),
    ),
  ])
  return answer === true
}
