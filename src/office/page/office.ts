/** The office's page: signs people in and out, and draws the navigation around the screens. */

import { hasRole } from '../../rules/roles.ts'
import type { ResponseOf, Session } from '../office-data.ts'
import {
  clearPrefetched,
  connect,
  currentSession,
  get,
  readAnswer,
  request,
  shelterName,
  useSession,
} from './parts/api.ts'
import { closeDialogs, closing, confirm, openDialog } from './parts/dialog.ts'
import { icon } from './parts/drawings.ts'
import { button, byId, make, quiet, refill, typed } from './parts/elements.ts'
import { submitButton } from './parts/fields.ts'
import { reserveEdge } from './parts/screen.ts'
import { clearToasts, toast } from './parts/toasts.ts'
import { count, may, sentenceOf } from './parts/words.ts'
import { findingLink } from './screens/dashboard.ts'
import { listenToFailures } from './session/failures.ts'
import { leaveAll, prefetchScreen, SCREENS, showScreen, startRouter, unsaved } from './session/router.ts'
import { accept, signIn } from './session/sign-in.ts'

const INVITATION = /^#invitation=(.+)$/

let wasSignedIn = false
let wantsSearch = false

connect({
  ask: () => signIn(wasSignedIn ? 'Your session has ended. Sign in to continue where you left off.' : ''),
  onOther() {
    clearToasts()
    closeDialogs()
    // Calls of the previous person end first.
    setTimeout(() => {
      drawAround(currentSession())
      showScreen()
    })
  },
  onPending(isPending) {
    byId('loading').hidden = !isPending
  },
})

async function begin(): Promise<Session> {
  const invitation = INVITATION.exec(location.hash)?.[1]
  if (invitation === undefined) {
    const session = get('/api/session')
    prefetchScreen()
    return session
  }
  const session = await accept(invitation)
  // Keep the secret out of the address bar and the browser's history.
  history.replaceState(null, '', location.pathname)
  if (session !== undefined) return session
  return signIn('This invite link no longer works. Sign in, or ask for a new one.')
}

async function start() {
  const starting = byId('starting')
  try {
    const session = await begin()
    useSession(session)
    wasSignedIn = true
    drawAround(session)
    startRouter((current) => {
      markCurrent(current)
      void showFindings(current)
    })
    clearPrefetched()
  } catch (error) {
    const again = button('Try again', () => void start(), { class: 'plain' })
    starting.replaceChildren(make('h1', {}, 'The office could not be loaded'), `${sentenceOf(error)} `, again)
  }
}

function drawAround(session: Session) {
  byId('brand').textContent = shelterName()
  refill(byId('navigation'), groupsFor(session))
  refill(
    byId('person'),
    make('a', { href: '#account', class: 'lone', 'data-name': 'account', title: 'Your account' }, typed(session.name)),
    make('a', { href: '#guide', class: 'help', 'data-name': 'guide', 'aria-label': 'Guide', title: 'Guide' }, '?'),
    quiet(session.role),
    button('Sign out', signOut, { class: 'plain' }),
  )
  const more = button('More', () => void openMore(session), { class: 'tab' })
  more.prepend(icon('more'))
  const search = make('a', { href: '#animals', class: 'tab', onclick: goSearch }, icon('search'), 'Search')
  refill(byId('thumb'), link('animals', 'Animals', 'tab'), search, may('staff') && link('add', 'Add', 'tab'), more)
  for (const id of ['navigation', 'person', 'thumb']) byId(id).hidden = false
}

function groupsFor({ role }: Session) {
  const listed = Object.entries(SCREENS).filter(([, { group, role: least }]) => group && hasRole(role, least))
  const groups = Map.groupBy(listed, ([, { group }]) => group ?? '')
  return [...groups].map(([group, screens]) => {
    const links = screens.map(([name, { title }]) => make('li', {}, link(name, title)))
    return make('div', { class: 'group' }, quiet(group), make('ul', {}, links))
  })
}

function link(name: string, title: string, className: string = '') {
  return make('a', { href: `#${name}`, class: className, 'data-name': name }, icon(SCREENS[name]?.icon ?? name), title)
}

function goSearch(event: Event) {
  wantsSearch = !focusSearch()
  if (!wantsSearch) event.preventDefault()
}

function focusSearch() {
  const search = document.querySelector('main input[type="search"]')
  if (!(search instanceof HTMLElement)) return false
  search.focus()
  return true
}

function markCurrent(current: string) {
  if (wantsSearch) focusSearch()
  wantsSearch = false
  const name = SCREENS[current]?.within ?? current
  for (const item of document.querySelectorAll('[data-name]')) {
    if (item.getAttribute('data-name') === name) item.setAttribute('aria-current', 'page')
    else item.removeAttribute('aria-current')
  }
}

const FINDINGS_EVERY_MS = 60_000
let nextFindingsMs = 0

async function showFindings(current: string) {
  const banner = byId('findings')
  if (!may('operator') || current === 'dashboard') {
    banner.hidden = true
    return
  }
  if (performance.now() > nextFindingsMs) {
    nextFindingsMs = performance.now() + FINDINGS_EVERY_MS
    const findings = await get('/api/findings', {}, { isUnattended: true }).catch(() => [])
    const [first] = findings
    const rest = findings.length > 1 ? ` And ${count(findings.length - 1, 'more finding')}.` : ''
    refill(banner, first && [findingLink(first, '#dashboard'), rest])
  }
  banner.hidden = banner.childElementCount === 0
}

function openMore(session: Session) {
  const content = [
    make('div', { class: 'navigation' }, groupsFor(session)),
    quiet(typed(currentSession().name), `, ${session.role}`),
    make('p', {}, make('a', { href: '#account', class: 'lone' }, 'Your account')),
    make('p', {}, make('a', { href: '#guide', class: 'lone' }, 'Guide')),
    closing(button('Sign out', signOut, { class: 'plain' }), submitButton('Close', { class: 'plain' })),
  ]
  const onclick = ({ target }: Event) => target instanceof Element && target.closest('a')?.closest('dialog')?.close()
  return openDialog(shelterName(), content, { onclick })
}

async function signOut() {
  const loss = unsaved()
  if (loss !== '' && !(await confirm('Sign out', loss))) return
  let pending: ResponseOf<'DELETE /api/session'>
  try {
    // Another tab might have signed in since, so ask whose session this is. 401: it has already ended.
    const now = await request('GET /api/session', '')
    // 503: the database cannot tell whose session it is, but the browser must forget the cookie.
    const token = now.status === 503 ? currentSession().token : now.status === 401 ? undefined : readAnswer(now).token
    if (token !== undefined) pending = readAnswer(await request('DELETE /api/session', token))
  } catch (error) {
    toast(`You are still signed in. ${sentenceOf(error)}`, { isProblem: true, about: ['sign out'] })
    return
  }
  leaveAll()
  const message = pending?.message
  if (message !== undefined) await openDialog('Signed out', [make('p', {}, message), closing(submitButton('Close'))])
  history.replaceState(null, '', location.pathname)
  location.reload()
}

listenToFailures()
reserveEdge()
for (const kind of ['dragover', 'drop'] as const) addEventListener(kind, keepFilesOut)
listenToKeys(() => {
  wantsSearch = !focusSearch()
  if (wantsSearch) location.hash = '#animals'
})

// An invite link that is opened in this tab loads no page by itself.
addEventListener('hashchange', () => INVITATION.test(location.hash) && location.reload())

// The router would take the fragment for a screen.
byId('skip').addEventListener('click', (event) => {
  event.preventDefault()
  byId('main').focus()
})

await start()

/** A browser would open a file dropped next to its box, and leave the office. */
function keepFilesOut(event: DragEvent) {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}

/** With Ctrl, because dictation could trigger a single character (WCAG 2.1.4). AltGr counts as Ctrl and Alt. */
function listenToKeys(goSearch: () => void) {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, altKey } = event
    if (key !== '/' || !ctrlKey || altKey || document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    goSearch()
  })
}
