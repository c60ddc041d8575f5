/** The people of the office: who they are, what they may do, inviting them and ending their access. */

import { get, send } from './api.js'
import { ask, passphraseField, problemOf } from './ask.js'
import { button, field, make, typed } from './elements.js'
import { keepFresh } from './fresh.js'
import { showOnce } from './secret.js'
import { table } from './table.js'
import { toast } from './toast.js'
import { showTrouble } from './trouble.js'
import { day, moment, ROLES, sentenceOf } from './words.js'

/** @import { Invitation, NewPerson, Person, Role, Session } from '../office-data.ts' */
/** @import { Shown } from './screens.js' */

/** @type {Readonly<Record<Role, string>>} */
const MAY = {
  staff: 'sees and changes animals',
  manager: 'also imports, exports and removes animals',
  operator: 'also issues keys, invites people and sees the dashboard',
}
/** @type {Readonly<Record<Person['state'], string>>} */
const STATES = { invited: 'invited', lapsed: 'invitation lapsed', active: 'active', revoked: 'revoked' }
const REASON = 'Asked for again, because whoever has the link can come in.'

/**
 * @param {HTMLElement} container
 * @param {Session} session
 * @returns {Shown}
 */
export function showPeople(container, session) {
  const trouble = make('div', { class: 'notice', role: 'alert', hidden: true })
  let asked = 0
  const list = peopleTable(session, {
    onInvite: (person) => void invite(load, person),
    onRevoke: (person) => void revoke(person, (people) => show(people)),
  })
  /** @param {readonly Person[]} people */
  const show = (people) => {
    asked += 1
    trouble.hidden = true
    list.show(people)
  }
  const load = async (isUnattended = false) => {
    asked += 1
    const mine = asked
    try {
      /** @type {readonly Person[]} */
      const people = await get('api/people', { isUnattended })
      if (mine === asked) show(people)
    } catch (error) {
      if (mine !== asked) return
      showTrouble(trouble, `The people could not be loaded. ${sentenceOf(error)}`, () => void load())
    }
  }
  const heading = make(
    'div',
    { class: 'heading' },
    make('h1', {}, 'People'),
    button('Invite', () => void invite(load)),
  )
  container.append(heading, trouble, make('section', { class: 'card', 'aria-label': 'List of people' }, list.element))
  void load()
  const end = keepFresh(() => void load(true))
  return {
    end() {
      end()
      asked += 1
    },
  }
}

/**
 * @param {Session} session
 * @param {{ onInvite: (person: Person) => void, onRevoke: (person: Person) => void }} acts
 */
function peopleTable(session, { onInvite, onRevoke }) {
  /** @param {Person} person */
  const acts = (person) => {
    const box = make('div', { class: 'few' })
    if (person.name === session.name) return box
    const { name } = person
    if (person.state !== 'active') {
      box.append(
        button('Invite again', () => onInvite(person), { class: 'plain', 'aria-label': `Invite again: ${name}` }),
      )
    }
    if (person.state !== 'revoked') {
      box.append(button('Revoke', () => onRevoke(person), { class: 'plain', 'aria-label': `Revoke ${name}` }))
    }
    return box
  }
  const made = table(
    'People',
    /** @type {import('./table.js').Column<Person>[]} */ ([
      {
        title: 'Name',
        className: 'name',
        cell: ({ name, createdAtMs }) =>
          make(
            'div',
            {},
            typed(name === session.name ? `${name} (you)` : name, 'strong'),
            make('p', { class: 'quiet' }, `since ${day(createdAtMs)}`),
          ),
      },
      { title: 'Role', cell: ({ role }) => make('div', {}, role, make('p', { class: 'quiet' }, MAY[role])) },
      { title: 'State', cell: ({ state }) => make('span', { class: `badge ${state}` }, STATES[state]) },
      { title: 'Last seen', cell: ({ lastSeenAtMs }) => (lastSeenAtMs === null ? 'never' : moment(lastSeenAtMs)) },
      { title: '', cell: acts, className: 'acts' },
    ]),
  )
  return made
}

/**
 * @param {() => Promise<void>} onDone
 * @param {Person} [again] somebody who gets another link
 */
async function invite(onDone, again) {
  const name = field('Name', make('input', { autocomplete: 'off', dir: 'auto', value: again?.name ?? '' }))
  const roles = ROLES.map((role) => {
    const choice = make('input', {
      type: 'radio',
      name: 'role',
      value: role,
      checked: role === (again?.role ?? 'staff'),
    })
    return {
      role,
      choice,
      label: make('label', { class: 'choice' }, choice, make('span', {}, `${role}: ${MAY[role]}`)),
    }
  })
  const passphrase = passphraseField(REASON)
  const group = make('fieldset', { class: 'field' }, make('legend', {}, 'Role'), ...roles.map(({ label }) => label))
  const elements = [name.element, group, passphrase.element]
  /** @type {Invitation | undefined} */
  const invitation = await ask('Invite somebody', 'Make a link', elements, async () => {
    name.mark('')
    passphrase.mark('')
    /** @type {NewPerson} */
    const body = {
      name: name.control.value.trim(),
      role: roles.find(({ choice }) => choice.checked)?.role ?? 'staff',
      passphrase: passphrase.control.value,
    }
    if (body.name === '') return void name.mark('Type a name.')
    if (body.passphrase === '') return void passphrase.mark('Type your passphrase.')
    try {
      return await send('POST', 'api/people', body)
    } catch (error) {
      passphrase.mark(problemOf(error))
    }
  })
  await onDone()
  if (invitation === undefined) return
  await showOnce({
    title: 'The invitation',
    text: `Send this link to ${invitation.person.name}. It can be used once, until ${moment(invitation.endsAtMs)}, and is shown only now.`,
    values: [{ name: 'Link', value: invitation.link }],
  })
}

/** @param {Person} person @param {(people: readonly Person[]) => void} onDone */
async function revoke({ name }, onDone) {
  const text = make('p', { class: 'typed', dir: 'auto' }, `${name} is signed out everywhere and cannot sign in again.`)
  const problem = make('p', { class: 'problem', role: 'alert' })
  /** @type {readonly Person[] | undefined} */
  const people = await ask(
    'End this access?',
    'Revoke',
    [text, problem],
    async () => {
      try {
        return await send('POST', `api/people/${encodeURIComponent(name)}/revoke`, {})
      } catch (error) {
        problem.textContent = problemOf(error)
      }
    },
    'danger',
  )
  if (people === undefined) return
  onDone(people)
  toast(`${name} has no access any more.`)
}
