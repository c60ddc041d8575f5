/**
 * The address of the screen that is shown. A screen changes it to say what it shows, which is no reason to show it
 * anew.
 */

let address = ''

export function shownAddress() {
  return address
}

/** The screen of the present address is shown now. */
export function takeAddress() {
  address = location.hash
}

/** Notes in the address what the screen shows, so that a reload and the way back come here again. */
export function noteAddress(hash: string) {
  history.replaceState(null, '', hash)
  address = hash
}
