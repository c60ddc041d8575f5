/**
 * The office: staff, managers and operators at work in a browser. This file signs people in and out and draws what is around the
 * screens; screens.js names them, router.js shows them. It uses only the routes of ../office-data.ts.
 */
import { currentSession, get, readAnswer, request, useSession, whenSignedOut } from './api.js'
import { openDialog } from './dialog.js'
import { button, byId, make } from './elements.js'
import { icon } from './icons.js'
import { endScreen, showAgain, startRouter } from './router.js'
import { SCREENS } from './screens.js'
import { accept, signIn } from './sign-in.js'
import { clearToasts, toast } from './toast.js'
import { mayDo, sentenceOf } from './words.js'

/** @import { Session } from '../office-data.ts' */

const INVITATION = /^#invitation=(.+)$/

let wasSignedIn = false

whenSignedOut({
  ask: () => signIn(wasSignedIn ? 'Your session has ended. Sign in to go on where you were.' : ''),
  onOther() {
    clearToasts()
    // What is under way ends first: it belongs to the person before.
    setTimeout(async () => {
      drawAround(await get('api/session'))
      showAgain()
    })
  },
})

/** @returns {Promise<Session>} */
async function begin() {
  const invitation = INVITATION.exec(location.hash)?.[1]
  if (invitation === undefined) return get('api/session')
  const session = await accept(invitation)
  // The secret leaves the address and the history of the browser.
  history.replaceState(null, '', location.pathname)
  if (session !== undefined) return session
  return signIn('This invitation has been used or has ended. Sign in, or ask for a new one.')
}

async function start() {
  const starting = byId('starting')
  try {
    const session = await begin()
    useSession(session)
    wasSignedIn = true
    drawAround(session)
    startRouter(markCurrent)
  } catch (error) {
    starting.replaceChildren(
      `${sentenceOf(error)} `,
      button('Try again', () => void start(), { class: 'plain' }),
    )
  }
}

/** @param {Session} session */
function drawAround(session) {
  const links = linksFor(session)
  const navigation = byId('navigation')
  navigation.replaceChildren(make('ul', {}, ...links.map(([name, title]) => make('li', {}, link(name, title)))))
  navigation.hidden = false
  const person = byId('person')
  person.replaceChildren(
    make('p', { class: 'typed', dir: 'auto' }, session.name),
    make('p', { class: 'quiet' }, session.role),
    button('Sign out', () => void signOut(), { class: 'plain' }),
  )
  person.hidden = false
  const thumb = byId('thumb')
  const more = button('More', () => void openMore(session), { class: 'tab' })
  more.prepend(icon('more'))
  const search = make('a', { href: '#animals', class: 'tab', onclick: goSearch }, icon('search'), 'Search')
  thumb.replaceChildren(link('animals', 'Animals', 'tab'), search, link('add', 'Add', 'tab'), more)
  thumb.hidden = false
}

/** @param {Session} session */
function linksFor({ role }) {
  return Object.entries(SCREENS).flatMap(([name, screen]) => {
    const isListed = screen.icon !== undefined && mayDo(role, screen.role)
    return isListed ? [/** @type {const} */ ([name, screen.title])] : []
  })
}

/** @param {string} name @param {string} title @param {string} [className] */
function link(name, title, className = '') {
  return make('a', { href: `#${name}`, class: className, 'data-name': name }, icon(SCREENS[name]?.icon ?? name), title)
}

/** The keyboard of a phone opens only if the field gets the focus within the event. @param {Event} event */
function goSearch(event) {
  const search = document.querySelector('main input[type="search"]')
  if (!(search instanceof HTMLElement)) return
  event.preventDefault()
  search.focus()
}

/** @param {string} current */
function markCurrent(current) {
  // The screen of one animal belongs to the list.
  const name = SCREENS[current]?.icon === undefined ? 'animals' : current
  for (const found of document.querySelectorAll('[data-name]')) {
    if (found.getAttribute('data-name') === name) found.setAttribute('aria-current', 'page')
    else found.removeAttribute('aria-current')
  }
}

/** @param {Session} session */
function openMore(session) {
  return openDialog('Office', (close) => [
    make(
      'ul',
      { class: 'navigation' },
      ...linksFor(session).map(([name, title]) => {
        const entry = link(name, title)
        entry.addEventListener('click', () => close())
        return make('li', {}, entry)
      }),
    ),
    make('p', { class: 'quiet typed', dir: 'auto' }, `${session.name}, ${session.role}`),
    make(
      'div',
      { class: 'actions' },
      button('Sign out', () => void signOut(), { class: 'plain' }),
      button('Close', () => close(), { class: 'plain' }),
    ),
  ])
}

async function signOut() {
  try {
    const answer = await request('DELETE', 'api/session', currentSession().token)
    // A session that has ended by itself is what was asked for.
    if (answer.status !== 401) readAnswer(answer)
  } catch (error) {
    toast(`You are still signed in. ${sentenceOf(error)}`, { isProblem: true })
    return
  }
  endScreen()
  // The next person begins with an empty page.
  history.replaceState(null, '', location.pathname)
  location.reload()
}

// A change of the address would be taken for another screen.
byId('skip').addEventListener('click', (event) => {
  event.preventDefault()
  byId('main').focus()
})

await start()
