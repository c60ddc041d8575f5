/**
 * The address of the current screen. A screen updates it to reflect what it shows; that must not make the router show
 * the screen again.
 */

let address = ''

export function shownAddress() {
  return address
}

/** Called when the screen of the present address has been shown. */
export function takeAddress() {
  address = location.hash
}

/** Begins an entry of the browser's history, to which Back returns. */
export function beginEntry(hash: string) {
  history.pushState(null, '', hash)
  address = hash
}

/** Records in the address what the screen shows, for reload and Back. */
export function noteAddress(hash: string) {
  history.replaceState(null, '', hash)
  address = hash
}
