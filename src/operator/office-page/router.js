/** Shows the screen that the address names, after asking where leaving would lose something. */
import { shownAddress, takeAddress } from './address.js'
import { currentSession } from './api.js'
import { confirm } from './dialog.js'
import { byId } from './elements.js'
import { HOME, SCREENS } from './screens.js'
import { mayDo } from './words.js'

/** @import { Parameters, Shown } from './screens.js' */

/** @type {Shown | undefined} */
let shown
let isAsking = false
/** @type {(name: string) => void} */
let afterShow = () => {}

/** @param {(name: string) => void} onShow is called with the name of each screen that is shown */
export function startRouter(onShow) {
  afterShow = onShow
  addEventListener('hashchange', () => void follow())
  addEventListener('beforeunload', (event) => {
    if (unsaved() !== '') event.preventDefault()
  })
  show()
}

/** Shows the screen anew, without asking: somebody else has signed in. */
export function showAgain() {
  show()
}

/** Ends the screen: somebody signs out. */
export function endScreen() {
  shown?.end()
  shown = undefined
  byId('main').replaceChildren()
}

function unsaved() {
  return shown?.unsaved?.() ?? ''
}

async function follow() {
  if (isAsking || location.hash === shownAddress()) return
  const wanted = location.hash
  const loss = unsaved()
  if (loss !== '') {
    history.replaceState(null, '', shownAddress())
    isAsking = true
    const leaves = await confirm('Leave this page?', loss, 'Leave')
    isAsking = false
    if (!leaves) return
    history.replaceState(null, '', wanted)
  }
  show()
  const title = document.querySelector('main h1')
  if (title instanceof HTMLElement && !byId('main').contains(document.activeElement)) title.focus()
  scrollTo(0, 0)
}

function show() {
  endScreen()
  const { name, parameters } = read(location.hash)
  takeAddress()
  const session = currentSession()
  const screen = SCREENS[name]
  const isAllowed = screen !== undefined && mayDo(session.role, screen.role)
  const [nameShown, screenShown] = isAllowed ? [name, screen] : [HOME, SCREENS[HOME]]
  document.title = `${screenShown?.title ?? 'Welcome'} · Office`
  const container = byId('main')
  container.dataset.screen = nameShown
  shown = screenShown?.show(container, session, isAllowed ? parameters : read('').parameters)
  for (const title of container.querySelectorAll('h1')) title.tabIndex = -1
  afterShow(nameShown)
}

/**
 * @param {string} hash
 * @returns {{ name: string, parameters: Parameters }}
 */
function read(hash) {
  const [, path = '', query = ''] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? []
  const [name = '', ...rest] = path.split('/').map(decode)
  return {
    name: Object.hasOwn(SCREENS, name) ? name : HOME,
    parameters: { path: rest, query: new URLSearchParams(query) },
  }
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
