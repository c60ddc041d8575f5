/** Loads what a screen shows: when it is opened, after acts, and by a timer. A notice says why that failed. */
import { acts, Latest } from './api.ts'
import { button, focusTitle, make, refill } from './elements.ts'
import { isMenuOpen, startPolling, whenMenuClosed } from './polling.ts'
import { screenSignal } from './screen.ts'
import { sentenceOf } from './words.ts'

interface Loading<T> {
  /** The subject of the sentence about a failure, such as "The keys"; or turns the problem into that sentence. */
  readonly what: string | ((problem: string) => string)
  /** `isUnattended`: a timer asks, not a person. */
  readonly get: (isUnattended: boolean) => Promise<T>
  readonly show: (answer: T) => void
  readonly onFail?: () => void
  readonly list?: Element
  /** Whether a timer can load it again now; without it, none does. */
  readonly polls?: () => boolean
  readonly follows?: true | (() => void)
  readonly isLater?: true
}

export function load<T>({ what, get, show, onFail, list, polls, follows, isLater }: Loading<T>) {
  const latest = new Latest()
  const signal = screenSignal()
  const notice = failureNotice(() => void again())
  const waiting = waitingFor(list)
  const again = async (isUnattended = false): Promise<void> => {
    if (signal.aborted) return
    if (!isUnattended) waiting.set(true)
    const ask = async () => {
      const answer = await get(isUnattended)
      // A menu belongs to its row.
      if (!isUnattended) await whenMenuClosed()
      return answer
    }
    const take = (answer: T) => {
      // A dialog gives the focus back to the row.
      if (isUnattended && (isMenuOpen() || document.querySelector('dialog[open]') !== null)) return
      waiting.set(false)
      notice.hide()
      show(answer)
    }
    const fail = (error: unknown) => {
      waiting.set(false)
      onFail?.()
      const problem = sentenceOf(error)
      notice.show(typeof what === 'string' ? `${what} could not be loaded. ${problem}` : what(problem))
    }
    await latest.ask(ask, take, fail)
  }
  const drop = () => latest.drop()
  // A later answer does not belong to the next screen.
  signal.addEventListener('abort', drop)
  if (follows) acts.addEventListener('act', follows === true ? () => void again() : follows, { signal })
  if (polls) startPolling(() => (polls() && !waiting.is() ? again(true) : undefined), signal)
  // The caller first builds the rest of the screen.
  if (!isLater) queueMicrotask(() => void again())
  return { element: notice.element, again, hide: notice.hide, drop, isWaiting: waiting.is }
}

function failureNotice(onAgain: () => void) {
  const element = make('div', { class: 'notice', role: 'alert', hidden: true })
  let shown = ''
  return {
    element,
    show(words: string) {
      // Screen readers would repeat a sentence that is shown anew.
      if (!element.hidden && shown === words) return
      shown = words
      refill(element, make('p', {}, words), button('Try again', onAgain, { class: 'plain' }))
      element.hidden = false
    },
    hide() {
      const hadFocus = element.contains(document.activeElement)
      element.hidden = true
      if (hadFocus) focusTitle()
    },
  }
}

/** Whether a person waits for another list, in which case clicks in this one do nothing. */
function waitingFor(list: Element | undefined) {
  let isWaiting = false
  const ignore = (event: Event) => {
    if (!isWaiting || !(event.target instanceof Element && event.target.closest('input, nav'))) return
    event.preventDefault()
    event.stopPropagation()
  }
  list?.addEventListener('click', ignore, { capture: true })
  return {
    is: () => isWaiting,
    set(isNow: boolean) {
      isWaiting = isNow
      list?.classList.toggle('waiting', isNow)
      list?.setAttribute('aria-busy', String(isNow))
    },
  }
}
