/** Notifications at the edge of the page, newest first: what was done, with an undo button for some seconds. */
import { announce, button, byId, make, refocus } from './elements.ts'
import { attempt } from './fields.ts'

const SHOWN_MS = 10_000

const MOST = 4

const undoable: (() => void)[] = []
/** By the function that closes it, oldest first, what each notification is still about. */
const closing = new Map<() => void, Set<string>>()

interface ToastOptions {
  readonly undo?: () => void
  readonly action?: HTMLElement
  readonly isProblem?: boolean
  /** Such as `animal 7`. Closes once newer ones cover all subjects, because its undo would conflict. */
  readonly about?: readonly string[]
}

/** Shows a notification. It stays while it has the pointer or the focus; a problem stays until it is closed. */
export function toast(sentence: string, { undo, action, isProblem = false, about = [] }: ToastOptions = {}) {
  const before = document.activeElement
  const notice = make('div', { class: isProblem ? 'toast trouble' : 'toast' }, make('p', { dir: 'auto' }, sentence))
  const close = () => {
    if (!closing.delete(close)) return
    const hadFocus = notice.contains(document.activeElement)
    clearTimeout(timer)
    notice.remove()
    if (undoable.includes(act)) undoable.splice(undoable.indexOf(act), 1)
    if (hadFocus) refocus(before)
  }
  const act = () => {
    close()
    undo?.()
  }
  if (undo !== undefined) {
    undoable.push(act)
    notice.append(button('Undo', act, { class: 'plain', title: 'Ctrl+Z' }))
  }
  if (action !== undefined) notice.append(action)
  notice.append(button('×', close, { class: 'bare', 'aria-label': 'Close notification' }))
  let timer = 0
  const wait = () => {
    clearTimeout(timer)
    if (!isProblem) timer = window.setTimeout(close, SHOWN_MS)
  }
  for (const event of ['pointerenter', 'focusin']) notice.addEventListener(event, () => clearTimeout(timer))
  for (const event of ['pointerleave', 'focusout']) notice.addEventListener(event, wait)
  wait()
  closeToasts(about)
  byId('toasts').prepend(notice)
  closing.set(close, new Set(about))
  if (closing.size > MOST) [...closing.keys()][0]?.()
  announce(undo === undefined ? sentence : `${sentence} Press Control Z to undo it.`)
}

/** Returns what `work` returns. A refusal returns undefined and shows a notification that begins with `before`. */
export function attemptOrToast<T>(about: string, work: () => Promise<T>, before: string = '') {
  const showProblem = (words: string) => words !== '' && toast(before + words, { isProblem: true, about: [about] })
  return attempt({ showProblem }, work)
}

export function closeToasts(about: readonly string[]) {
  for (const [close, subjects] of [...closing]) {
    const isAbout = about.filter((subject) => subjects.delete(subject)).length > 0
    if (isAbout && subjects.size === 0) close()
  }
}

export function clearToasts() {
  for (const close of [...closing.keys()]) close()
}

document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input:not([type="checkbox"]), textarea')
  const latest = undoable.at(-1)
  if (isTyping || latest === undefined || document.querySelector('dialog[open]') !== null) return
  event.preventDefault()
  latest()
})
