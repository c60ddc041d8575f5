/** The screens in navigation order, and the router, which shows the one in the address. */

import { hasRole, ROLES, roleWords } from '../../../rules/roles.ts'
import { currentSession, orUnreachable, shelterName } from '../parts/api.ts'
import { cancelDialogs, confirm, isDialogSending } from '../parts/dialog.ts'
import { byId, fill, focusTitle, make } from '../parts/elements.ts'
import { isAnythingUnsent } from '../parts/fields.ts'
import { load } from '../parts/load.ts'
import { endScreen, type Parameters, pushAddress, type Screen, shownAddress, takeAddress } from '../parts/screen.ts'
import { may } from '../parts/words.ts'
import { showAccount } from '../screens/account.ts'
import { showAdd, unsent } from '../screens/add.ts'
import { showAnimal } from '../screens/animal.ts'
import { prefetchAnimals, showAnimals } from '../screens/animals.ts'
import { showCategories } from '../screens/categories.ts'
import { showDashboard } from '../screens/dashboard.ts'
import { showGuide } from '../screens/guide.ts'
import { showJournal } from '../screens/journal.ts'
import { showPeople } from '../screens/people.ts'
import { showReport } from '../screens/report.ts'
import { showSettings } from '../screens/settings.ts'

const keys = () => import('../screens/keys.ts')

export const SCREENS: Readonly<Record<string, Screen>> = {
  animals: {
    title: 'Animals',
    role: 'viewer',
    group: 'Animals',
    icon: 'animals',
    show: showAnimals,
    prefetch: prefetchAnimals,
  },
  animal: { title: 'Animal', role: 'viewer', within: 'animals', show: showAnimal },
  add: { title: 'Add', role: 'staff', group: 'Animals', icon: 'add', show: showAdd },
  import: {
    title: 'Import, export',
    role: 'manager',
    group: 'Animals',
    icon: 'import',
    show: onDemand(async () => (await import('../screens/import.ts')).showImport),
  },
  categories: { title: 'Categories', role: 'manager', group: 'Animals', icon: 'categories', show: showCategories },
  journal: { title: 'Journal', role: 'viewer', group: 'Records', icon: 'journal', show: showJournal },
  report: { title: 'Report', role: 'viewer', group: 'Records', icon: 'report', show: showReport },
  settings: { title: 'Settings', role: 'manager', group: 'Administration', icon: 'settings', show: showSettings },
  keys: {
    title: 'Keys',
    role: 'operator',
    group: 'Administration',
    icon: 'keys',
    show: onDemand(async () => (await keys()).showKeys),
  },
  key: { title: 'Key', role: 'operator', within: 'keys', show: onDemand(async () => (await keys()).showKeyUse) },
  people: { title: 'People', role: 'operator', group: 'Administration', icon: 'people', show: showPeople },
  dashboard: { title: 'Dashboard', role: 'operator', group: 'Administration', icon: 'dashboard', show: showDashboard },
  account: { title: 'Your account', role: 'viewer', show: showAccount },
  guide: { title: 'Guide', role: 'viewer', show: showGuide },
}

function onDemand(script: () => Promise<Screen['show']>): Screen['show'] {
  return (parameters) => {
    const { element } = load({
      what: 'The screen',
      get: () => orUnreachable(script()),
      show(show) {
        element.remove()
        const title = fill(byId('main'), show(parameters)).querySelector('h1')
        if (title === null) return
        title.tabIndex = -1
        if (document.activeElement === document.body) title.focus()
      },
    })
    return element
  }
}

const HOME = 'animals'

let isAsking = false
let hasLeft = false
let afterShow: (name: string) => void = () => {}

export function startRouter(onShow: (name: string) => void) {
  afterShow = onShow
  addEventListener('hashchange', () => void follow())
  addEventListener('beforeunload', (event) => {
    if (unsaved() !== '' && !hasLeft) event.preventDefault()
  })
  showScreen()
}

export function prefetchScreen() {
  const { name, parameters } = read(location.hash)
  SCREENS[name]?.prefetch?.(parameters)
}

export function leaveAll() {
  hasLeft = true
  clear()
}

function clear() {
  endScreen()
  byId('main').replaceChildren()
}

/** A sentence about what would be lost with the page; empty if nothing. */
export function unsaved() {
  return unsavedHere() || unsent()
}

function unsavedHere() {
  if (document.querySelector('.import progress:not([hidden])') !== null) return 'A file is still being processed.'
  if (document.querySelector('[data-review]') !== null)
    return 'Nothing was imported yet. The review stays for an hour, or until you sign out.'
  return isAnythingUnsent() ? 'What you typed here is not saved.' : ''
}

async function follow() {
  if (isAsking || location.hash === shownAddress()) return
  const target = location.hash
  isAsking = true
  const leaves = await mayLeave()
  isAsking = false
  // A new entry came from a link, so go back; otherwise Back was used, so add the entry again.
  if (!leaves) return history.state === null ? history.back() : pushAddress(shownAddress())
  // Back might have been used again in the meantime.
  if (location.hash !== target) history.replaceState(null, '', target)
  showScreen()
  if (!byId('main').contains(document.activeElement)) focusTitle()
  document.body.scrollTop = 0
}

/** A dialog closes with its screen, but only after the response it waits for, which might be shown only once. */
async function mayLeave() {
  if (isDialogSending()) return false
  const loss = unsavedHere()
  return (loss === '' || (await confirm('Leave page', loss))) && cancelDialogs()
}

/** Shows the screen in the address, without a warning if something is lost. */
export function showScreen() {
  clear()
  const { name, parameters } = read(location.hash)
  takeAddress()
  const screen = SCREENS[name]
  document.title = `${screen?.title ?? 'Welcome'} · ${shelterName()}`
  const container = byId('main')
  container.dataset.screen = name
  fill(container, screen && (may(screen.role) ? screen.show(parameters) : denied(screen)))
  container.querySelector<HTMLElement>('[autofocus]')?.focus({ preventScroll: true })
  for (const title of container.querySelectorAll('h1')) title.tabIndex = -1
  afterShow(name)
}

function denied({ title, role }: Screen) {
  const allowed = new Intl.ListFormat('en-GB').format(ROLES.filter((one) => hasRole(one, role)).map(roleWords))
  return [
    make('h1', {}, title),
    make('p', {}, `This screen is for ${allowed}. Your role is ${currentSession().role}. An operator can change it.`),
  ]
}

function read(hash: string): { name: string; parameters: Parameters } {
  const [path = '', ...query] = hash.replace(/^#/, '').split('?')
  const [name = '', ...rest] = path.split('/').map(decode)
  return {
    name: Object.hasOwn(SCREENS, name) ? name : HOME,
    parameters: { path: rest, query: new URLSearchParams(query.join('?')) },
  }
}

function decode(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
