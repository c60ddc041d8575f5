/** The people of the office: roles, invites, sign-out and revoking access. */

import { ROLES } from '../../../rules/roles.ts'
import type { Invitation, Person, Role } from '../../office-data.ts'
import { currentSession, get, send } from '../parts/api.ts'
import { ask, askConfirmed, showOnce } from '../parts/dialog.ts'
import { button, line, make, titled, typed, untitled } from '../parts/elements.ts'
import { field, problemLine, select, textField } from '../parts/fields.ts'
import { load } from '../parts/load.ts'
import { actionsButton } from '../parts/menu.ts'
import { table } from '../parts/table.ts'
import { toast } from '../parts/toasts.ts'
import { day, moment, quoted } from '../parts/words.ts'

const MAY: Readonly<Record<Role, string>> = {
  viewer: 'sees animals, their history and the report, and changes nothing',
  staff: 'also adds, changes and removes animals',
  manager: 'also imports and exports animals, and names categories',
  operator: 'also creates keys, invites people and sees the dashboard',
}
const REASON = 'You are asked again because anyone who has the link can sign in.'

const AT_ONCE: Readonly<Record<Person['state'], string>> = {
  active: 'nothing changes, except that earlier links stop working.',
  invited: 'earlier links stop working.',
  lapsed: 'the person is invited again.',
  revoked: 'access is no longer revoked, but nobody can sign in without the link.',
}

export function showPeople() {
  const session = currentSession()
  const actsOn = (person: Person) => {
    if (person.name === session.name) return ''
    return actionsButton(person.name, [
      { word: linkWord(person), choose: () => void reset(person) },
      { word: 'Change role', choose: () => void changeRole(person) },
      person.state === 'active' && { word: 'Sign out everywhere', choose: () => void signOut(person) },
      person.state !== 'revoked' && { word: 'Revoke access', choose: () => void revoke(person), isDanger: true },
    ])
  }
  const nameOf = ({ name }: Person) => typed(name === session.name ? `${name} (you)` : name, 'strong')
  const list = table<Person>('People', [
    { title: 'Name', className: 'name', cell: nameOf },
    { title: 'Role', cell: ({ role }) => make('span', { title: MAY[role] }, role) },
    { title: 'State', cell: stateOf },
    { title: 'Since', cell: ({ createdAtMs }) => day(createdAtMs) },
    { title: 'Last seen', cell: ({ lastSeenAtMs }) => (lastSeenAtMs === null ? 'never' : moment(lastSeenAtMs)) },
    { title: 'Actions', isTitleUnseen: true, cell: actsOn, className: 'acts' },
  ])
  const loader = load({
    what: 'The people',
    get: (isUnattended) => get('/api/people', {}, { isUnattended }),
    show: (people) => list.show(people),
    polls: () => true,
    follows: true,
  })
  return [titled('People', button('Invite person', invite)), loader, untitled('List of people', list)]
}

function stateOf({ state }: Person) {
  return make('span', { class: `badge ${state}` }, state === 'lapsed' ? 'invite expired' : state)
}

function linkWord({ state }: Person) {
  return state === 'active' ? 'Reset passphrase' : 'Create new link'
}

function invite() {
  const name = textField('Name', { name: 'name' })
  const roles = roleField('staff')
  const text = effects('the person is listed as invited.', 'they choose a passphrase and are signed in.')
  const read = () => {
    const typedName = name.required('Type a name.')
    return typedName === undefined ? undefined : { name: typedName, role: roles.chosen() }
  }
  return showLink(
    askConfirmed('Invite person', [text, name, roles], REASON, read, (body) => send('POST /api/people', body)),
  )
}

function reset(person: Person) {
  const { name, role, state } = person
  const who = quoted(name, 60, '')
  const text = effects(
    AT_ONCE[state],
    state === 'active'
      ? `${who} chooses a new passphrase and is signed out everywhere else. The role stays the same: ${role}.`
      : `${who} chooses a passphrase and is signed in as ${role}: ${MAY[role]}.`,
  )
  const sendWith = (body: { passphrase: string }) => send('POST /api/people/:name/reset', body, { name })
  return showLink(askConfirmed(linkWord(person), [text], REASON, () => ({}), sendWith))
}

async function changeRole({ name, role, state }: Person) {
  const who = quoted(name, 60, '')
  const text =
    state === 'active'
      ? effects(`${who} is signed out everywhere, and signs in again with the same passphrase.`)
      : effects('the role changes.', `${who} is signed in with the new role, even by an earlier link.`)
  const roles = roleField(role)
  const read = () => ({ role: roles.chosen() })
  const reason = 'You are asked again because the new role applies immediately.'
  const changed = await askConfirmed('Change role', [text, roles], reason, read, async (body) => {
    await send('POST /api/people/:name/role', body, { name })
    return body.role
  })
  if (changed !== undefined) toast(`${who} is now ${changed}.`)
}

function roleField(current: Role) {
  const options = ROLES.map((role) => [role, `${role}: ${MAY[role]}`] as const)
  const labelled = field('Role', select(options, current, { name: 'role' }))
  return { ...labelled, chosen: () => ROLES.find((role) => role === labelled.control.value) ?? current }
}

async function showLink(dialog: Promise<Invitation | undefined>) {
  const invitation = await dialog
  if (invitation === undefined) return
  const { person, link, endsAtMs } = invitation
  const isLocal = /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)
  const only = [
    ' It works on this computer only. To invite people on other computers, start the service with ',
    make('code', { class: 'option' }, '--office URL'),
    ' and the address of the office in your network.',
  ]
  const text = `Send ${quoted(person.name, 60, '')} this link. It works once, until ${moment(endsAtMs)}, and is shown only once.`
  await showOnce('Invite link', make('span', {}, text, isLocal && only), { Link: link })
}

function signOut({ name }: Person) {
  const who = quoted(name, 60, '')
  const text = `${who} is signed out everywhere, and their running work stops. The passphrase and the role stay the same.`
  const act = () => send('POST /api/people/:name/sign-out', {}, { name })
  return end('Sign out everywhere', text, act, `${who} was signed out everywhere.`)
}

function revoke({ name, state }: Person) {
  const who = quoted(name, 60, '')
  const text =
    state === 'active'
      ? `${who} is signed out everywhere, their running work stops, and the passphrase no longer works.`
      : `${who} cannot sign in: earlier links stop working.`
  const act = () => send('POST /api/people/:name/revoke', {}, { name })
  return end('Revoke access', text, act, `Access of ${who} was revoked.`)
}

async function end<T>(title: string, atOnce: string, act: () => Promise<T>, message: string) {
  const people = await ask(title, [effects(atOnce), problemLine()], act, { isDanger: true })
  if (people !== undefined) toast(message)
}

function effects(atOnce: string, whenUsed?: string) {
  const effect = (when: string, what: string) => line(make('strong', {}, `${when}: `), what)
  return make(
    'div',
    {},
    effect('Immediately', atOnce),
    whenUsed !== undefined && effect('When the link is used', whenUsed),
  )
}
