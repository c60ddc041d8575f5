/** The people of the office and their roles; inviting them, and revoking their access. */

import { ROLES } from '../../../rules/roles.ts'
import type { Invitation, Person, Role } from '../../office-data.ts'
import { currentSession, get, send } from '../parts/api.ts'
import { ask, askConfirmed, showOnce } from '../parts/dialog.ts'
import { button, line, make, titled, typed, untitled } from '../parts/elements.ts'
import { field, problemLine, select, textField } from '../parts/fields.ts'
import { actionsButton } from '../parts/menu.ts'
import { loading, toast } from '../parts/notices.ts'
import { table } from '../parts/table.ts'
import { day, moment, quoted } from '../parts/words.ts'

const MAY: Readonly<Record<Role, string>> = {
  viewer: 'sees animals, their history and the report, and changes nothing',
  staff: 'also adds and changes animals',
  manager: 'also imports, exports and removes animals',
  operator: 'also issues keys, invites people and sees the dashboard',
}
const REASON = 'Asked for again, because whoever has the link can come in.'

/** What a new link for a person in this state does before it is used. */
const AT_ONCE: Readonly<Record<Person['state'], string>> = {
  active: 'nothing changes, but a link made before does not work any more.',
  invited: 'a link made before does not work any more.',
  lapsed: 'the person is invited again.',
  revoked: 'the revocation ends; nobody comes in without the link.',
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
  const loader = loading(
    'The people',
    (isUnattended) => get('/api/people', {}, { isUnattended }),
    (people) => list.show(people),
  )
  loader.begin({ polls: () => true, follows: true })
  return [titled('People', button('Invite', invite)), loader, untitled('List of people', list)]
}

function stateOf({ state }: Person) {
  return make('span', { class: `badge ${state}` }, state === 'lapsed' ? 'invitation lapsed' : state)
}

/** Somebody who has not chosen a passphrase yet gets another link to do so. */
function linkWord({ state }: Person) {
  return state === 'active' ? 'Give a new passphrase' : 'Make a new link'
}

function invite() {
  const name = textField('Name')
  const roles = roleField('staff')
  const text = effects('the name is listed as invited.', 'its owner chooses a passphrase and comes in.')
  const read = () => {
    const word = name.control.value.trim()
    return word === '' ? void name.showProblem('Type a name.') : { name: word, role: roles.chosen() }
  }
  return showLink(askConfirmed('Invite', [text, name, roles], REASON, read, (body) => send('POST /api/people', body)))
}

function reset(person: Person) {
  const { name, role, state } = person
  const who = quoted(name, 60, '')
  const text = effects(
    AT_ONCE[state],
    state === 'active'
      ? `${who} chooses a new passphrase and is signed out everywhere else. The role stays: ${role}.`
      : `${who} chooses a passphrase and comes in as ${role}: ${MAY[role]}.`,
  )
  const sendWith = (body: { passphrase: string }) => send('POST /api/people/:name/reset', body, { name })
  return showLink(askConfirmed(linkWord(person), [text], REASON, () => ({}), sendWith))
}

async function changeRole({ name, role, state }: Person) {
  const who = quoted(name, 60, '')
  const text =
    state === 'active'
      ? effects(`${who} is signed out everywhere, and signs in again with the same passphrase.`)
      : effects('the role is changed.', `${who} comes in with the new role, also by a link made before.`)
  const roles = roleField(role)
  const read = () => ({ role: roles.chosen() })
  const reason = 'Asked for again, because the role holds at once.'
  const changed = await askConfirmed('Change role', [text, roles], reason, read, async (body) => {
    await send('POST /api/people/:name/role', body, { name })
    return body.role
  })
  if (changed !== undefined) toast(`${who} is ${changed} now.`)
}

function roleField(current: Role) {
  const options = ROLES.map((role) => [role, `${role}: ${MAY[role]}`] as const)
  const labelled = field('Role', select(options, current))
  return { ...labelled, chosen: () => ROLES.find((role) => role === labelled.control.value) ?? current }
}

async function showLink(dialog: Promise<Invitation | undefined>) {
  const invitation = await dialog
  if (invitation === undefined) return
  const { person, link, endsAtMs } = invitation
  const isLocal = /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)
  const only = [
    ' It works on this computer only. For others, start the service with ',
    make('code', { class: 'option' }, '--office URL'),
    ', the address of the office in your network.',
  ]
  const text = `Send ${quoted(person.name, 60, '')} this link. It can be used once, until ${moment(endsAtMs)}, and is shown only now.`
  await showOnce('Invitation', make('span', {}, text, isLocal && only), { Link: link })
}

function signOut({ name }: Person) {
  const who = quoted(name, 60, '')
  const text = `${who} is signed out everywhere, and what is under way ends. The passphrase and the role stay.`
  const act = () => send('POST /api/people/:name/sign-out', {}, { name })
  return end('Sign out everywhere', text, act, `${who} is signed out everywhere.`)
}

function revoke({ name, state }: Person) {
  const who = quoted(name, 60, '')
  const text =
    state === 'active'
      ? `${who} is signed out everywhere, what is under way ends, and the passphrase does not work any more.`
      : `${who} cannot come in: a link made before does not work any more.`
  const act = () => send('POST /api/people/:name/revoke', {}, { name })
  return end('Revoke access', text, act, `${who} has no access any more.`)
}

/** Asks before sessions end. */
async function end<T>(title: string, atOnce: string, act: () => Promise<T>, message: string) {
  const people = await ask(title, [effects(atOnce), problemLine()], act, { isDanger: true })
  if (people !== undefined) toast(message)
}

/** What an act does at once, and what its link does when it is used. */
function effects(atOnce: string, whenUsed?: string) {
  const effect = (when: string, what: string) => line(make('strong', {}, `${when}: `), what)
  return make(
    'div',
    {},
    effect('Immediately', atOnce),
    whenUsed !== undefined && effect('When the link is used', whenUsed),
  )
}
