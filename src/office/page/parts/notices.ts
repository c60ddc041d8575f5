/**
 * Notices at the edge of the page, newest first: what was done, with a button to undo it for some seconds. And the
 * notice of a screen whose data could not be loaded.
 */
import { acts, Latest } from './api.ts'
import { announce, button, byId, focusTitle, make, refill, refocus } from './elements.ts'
import { attempt } from './fields.ts'
import { isMenuOpen, startPolling, whenMenuClosed } from './polling.ts'
import { screenSignal } from './screen.ts'
import { sentenceOf } from './words.ts'

const SHOWN_MS = 10_000

/** More would cover the page. */
const MOST = 4

const undoable: (() => void)[] = []
/** Closes each notice shown, oldest first, with what it is still about. */
const closing = new Map<() => void, Set<string>>()

interface ToastOptions {
  readonly undo?: () => void
  /** Another button. */
  readonly action?: HTMLElement
  readonly isProblem?: boolean
  /**
   * As `animal 7`. Once there are newer notices about all of it, an older one goes: it may no longer be true, and its
   * undo would only meet a conflict.
   */
  readonly about?: readonly string[]
}

/** Shows a notice. It stays while the pointer or the focus is on it; a problem stays until it is closed. */
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
  notice.append(button('×', close, { class: 'bare', 'aria-label': 'Close this notice' }))
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

/** What `work` returns; undefined if it was refused, which a notice tells after the sentence `before`. */
export function attemptOrToast<T>(about: string, work: () => Promise<T>, before: string = '') {
  const showProblem = (words: string) => words !== '' && toast(before + words, { isProblem: true, about: [about] })
  return attempt({ showProblem }, work)
}

/** Closes the notices that are about nothing else. */
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

/**
 * Loads the data of a screen, again and again until that is left, and shows why that failed: `what` is the subject of the sentence, as in
 * "The keys", or makes a sentence of the problem. `ask` is told whether a timer asks, and not a person. While a person
 * waits for another `list`, nothing of this one is ticked, and its pages are not turned: what is chosen on the screen is
 * about the other one already.
 */
export function loading<T>(
  what: string | ((problem: string) => string),
  ask: (isUnattended: boolean) => Promise<T>,
  show: (answer: T) => void,
  onFail: () => void = () => {},
  list?: Element,
) {
  const latest = new Latest()
  const element = make('div', { class: 'notice', role: 'alert', hidden: true })
  // An answer that comes later, also to an act that was begun before, is not that of the next screen.
  const signal = screenSignal()
  signal.addEventListener('abort', () => latest.drop())
  let message = ''
  let isWaiting = false
  const wait = (isNow: boolean) => {
    isWaiting = isNow
    list?.classList.toggle('waiting', isNow)
    list?.setAttribute('aria-busy', String(isNow))
  }
  const keep = (event: Event) => {
    if (!isWaiting || !(event.target instanceof Element && event.target.closest('input, nav'))) return
    event.preventDefault()
    event.stopPropagation()
  }
  list?.addEventListener('click', keep, { capture: true })
  const hide = () => {
    const hadFocus = element.contains(document.activeElement)
    element.hidden = true
    if (hadFocus) focusTitle()
  }
  const load = async (isUnattended = false): Promise<void> => {
    if (signal.aborted) return
    if (!isUnattended) wait(true)
    await latest.ask(
      async () => {
        const answer = await ask(isUnattended)
        // A menu stands beside its row.
        if (!isUnattended) await whenMenuClosed()
        return answer
      },
      (answer) => {
        // And a dialog gives the focus back to it.
        if (isUnattended && (isMenuOpen() || document.querySelector('dialog[open]') !== null)) return
        wait(false)
        hide()
        show(answer)
      },
      (error) => {
        wait(false)
        onFail()
        const problem = sentenceOf(error)
        const words = typeof what === 'string' ? `${what} could not be loaded. ${problem}` : what(problem)
        // Screen readers would repeat a sentence that is shown anew.
        if (!element.hidden && message === words) return
        message = words
        const again = button('Try again', () => void load(), { class: 'plain' })
        refill(element, make('p', {}, words), again)
        element.hidden = false
      },
    )
  }
  return {
    element,
    load,
    hide,
    drop: () => latest.drop(),
    isWaiting: () => isWaiting,
    /**
     * Loads for the first time; from then on by itself as long as `polls`, and after each act if it `follows`, which may
     * be a way of its own.
     */
    begin({ polls = () => false, follows }: { polls?: () => boolean; follows?: true | (() => void) } = {}) {
      void load()
      if (follows) acts.addEventListener('act', follows === true ? () => void load() : follows, { signal })
      startPolling(() => (polls() && !isWaiting ? load(true) : undefined), signal)
    },
  }
}
