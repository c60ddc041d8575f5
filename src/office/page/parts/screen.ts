/** A screen for the router, its address, and the window's edge that notifications and a phone's bar use. */
import type { Role } from '../../office-data.ts'
import { byId, type Child } from './elements.ts'

export interface Parameters {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export interface Screen {
  readonly title: string
  readonly role: Role
  readonly group?: 'Animals' | 'Records' | 'Administration'
  readonly icon?: string
  readonly within?: string
  /** Builds its content. A control with `autofocus` gets the focus. */
  readonly show: (parameters: Parameters) => Child
  /** On the first visit, requests data together with the session. */
  readonly prefetch?: (parameters: Parameters) => void
}

let screen = new AbortController()

/** Aborts when the current screen is left, and with it its timers and listeners. */
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

export function takeAddress() {
  history.replaceState(history.state ?? {}, '')
  address = location.hash
}

export function pushAddress(hash: string) {
  history.pushState({}, '', hash)
  address = hash
}

export function replaceAddress(hash: string) {
  // A link was followed, and the browser has not reported it yet.
  if (location.hash !== address) return
  history.replaceState({}, '', hash)
  address = hash
}

/** Sets the CSS variables `--toasts` and `--thumb` to these elements' heights, in CSS pixels. */
export function reserveEdge(): void {
  const { style } = document.documentElement
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target instanceof HTMLElement) style.setProperty(`--${target.id}`, `${target.offsetHeight}px`)
    }
  })
  for (const id of ['toasts', 'thumb']) resized.observe(byId(id))
}
