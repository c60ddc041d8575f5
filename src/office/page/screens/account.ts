/** The person's own account: name, passphrase, and signing out elsewhere. */
import { PASSPHRASE_LENGTH } from '../../../rules/bounds.ts'
import type { Role } from '../../office-data.ts'
import { currentSession, send, useSession } from '../parts/api.ts'
import { Draft } from '../parts/draft.ts'
import { actions, button, card, make, quiet, titled, typed } from '../parts/elements.ts'
import { formOf, passphraseField, submitButton, textField } from '../parts/fields.ts'
import { attemptOrToast, toast } from '../parts/toasts.ts'

export function showAccount() {
  const elsewhere = card(
    'Other browsers',
    make('p', {}, 'This signs you out immediately in every other browser, for example on a lost phone.'),
    actions(button('Sign out elsewhere', signOutElsewhere, { class: 'plain' })),
  )
  const forms = [nameForm(currentSession().role), passphraseForm()]
  return [titled('Your account'), make('div', { class: 'two' }, forms, elsewhere)]
}

function nameForm(role: Role) {
  const hint = 'You sign in with this name. What you did before stays under your old name, which nobody else can take.'
  const name = textField('Your name', { name: 'name', autocomplete: 'username' }, hint)
  const draft = new Draft()
  const show = () => draft.fill({ name }, { name: currentSession().name })
  show()
  const facts = quiet(`Your role is ${role}. An operator can change it.`)
  const change = async () => {
    if (!draft.isTyped) return toast('There is nothing to save.')
    const typedName = name.required('Type your name.')
    if (typedName === undefined) return
    const renamed = await draft.save(() => send('POST /api/account/name', { name: typedName }))
    useSession({ ...currentSession(), ...renamed })
    show()
    document.querySelector('#person a')?.replaceChildren(typed(renamed.name))
    toast('Name changed.', { about: ['name'] })
  }
  const form = formOf([facts, name], change, submitButton('Change name'))
  return card('Name', form)
}

function passphraseForm() {
  const old = passphraseField('Current passphrase', 'current-password')
  const next = passphraseField('New passphrase', 'new-password', `At least ${PASSPHRASE_LENGTH} characters.`)
  next.control.name = 'next'
  const fields = { old, next }
  const draft = new Draft()
  const empty = () => draft.fill(fields, {})
  empty()
  const user = make('input', { autocomplete: 'username', value: currentSession().name, hidden: true, readonly: true })
  const change = async () => {
    user.defaultValue = currentSession().name
    const passphrase = old.required('Type your current passphrase.')
    const chosen = next.required('Type a new passphrase.')
    if (passphrase === undefined || chosen === undefined) return
    await draft.save(() => send('POST /api/account/passphrase', { passphrase, next: chosen }))
    empty()
    toast('Passphrase changed. You are signed out everywhere else.', { about: ['sessions'] })
  }
  const form = formOf([user, ...Object.values(fields)], change, submitButton('Change passphrase'))
  return card('Passphrase', form)
}

function signOutElsewhere() {
  return attemptOrToast('sessions', async () => {
    await send('POST /api/account/sign-out', {})
    toast('You are signed out everywhere else.', { about: ['sessions'] })
  })
}
