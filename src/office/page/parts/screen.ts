/**
 * A screen, as the router shows it; the address that reflects what it shows; and the edge of the window that notices
 * and a phone's bar take from it. The page scrolls in its body.
 */
import type { Role } from '../../office-data.ts'
import { byId, type Child } from './elements.ts'

/** The parsed address, as of `#animal/7` or `#animals?status=sold`. */
export interface Parameters {
  /** The decoded segments after the screen's name. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export interface Screen {
  readonly title: string
  /** The least role that may see it. */
  readonly role: Role
  /** The group of the navigation that it is in, and its icon there. */
  readonly group?: 'Animals' | 'Records' | 'Administration'
  readonly icon?: string
  /** The screen of the navigation that it counts as, if it is not in the navigation itself. */
  readonly within?: string
  /** What is in it. A control with `autofocus` has the focus first. */
  readonly show: (parameters: Parameters) => Child
  /** Requests what `show` gets first, on the first visit together with the session. */
  readonly prefetch?: (parameters: Parameters) => void
}

let screen = new AbortController()

/** Aborts when the screen that is shown now is left: what it has begun ends with it, as timers and listeners. */
export function screenSignal(): AbortSignal {
  return screen.signal
}

export function endScreen() {
  screen.abort()
  screen = new AbortController()
}

let address = ''

export function shownAddress() {
  return address
}

/** Called for the screen of the present address. Its entry of the browser's history has a state, so it is not new. */
export function takeAddress() {
  history.replaceState(history.state ?? {}, '')
  address = location.hash
}

/** Adds an entry to the browser's history, to which Back returns. */
export function pushAddress(hash: string) {
  history.pushState({}, '', hash)
  address = hash
}

/** Replaces the address by that of what the screen shows, for reload and Back. */
export function replaceAddress(hash: string) {
  // The browser tells later of a link that was followed: what comes is not what this screen shows.
  if (location.hash !== address) return
  history.replaceState({}, '', hash)
  address = hash
}

/** Sets the CSS variables `--toasts` and `--thumb` to the heights of these elements, in CSS pixels. */
export function reserveEdge(): void {
  const { style } = document.documentElement
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target instanceof HTMLElement) style.setProperty(`--${target.id}`, `${target.offsetHeight}px`)
    }
  })
  for (const id of ['toasts', 'thumb']) resized.observe(byId(id))
}
