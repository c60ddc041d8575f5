/** One's own account: another name or passphrase, which the old one confirms, and signing out everywhere else. */
import type { Role } from '../../office-data.ts'
import { CallFailed, currentSession, send, useSession } from '../parts/api.ts'
import { Draft } from '../parts/draft.ts'
import { actions, button, card, make, quiet, titled, typed } from '../parts/elements.ts'
import { formOf, passphraseField, submitButton, textField } from '../parts/fields.ts'
import { attemptOrToast, toast } from '../parts/notices.ts'
import { sentenceOf } from '../parts/words.ts'

export function showAccount() {
  const elsewhere = card(
    'Other browsers',
    make('p', {}, 'Whoever is signed in with your name somewhere else, as on a lost phone, is signed out at once.'),
    actions(button('Sign out everywhere else', signOutElsewhere, { class: 'plain' })),
  )
  const forms = [nameForm(currentSession().role), passphraseForm()]
  return [titled('Your account'), make('div', { class: 'two' }, forms, elsewhere)]
}

function nameForm(role: Role) {
  const hint = 'You sign in with it. What you did before keeps the name that you had, and nobody else gets that.'
  const name = textField('Your name', { autocomplete: 'username' }, hint)
  const draft = new Draft()
  const show = () => draft.fill({ name }, { name: currentSession().name })
  show()
  const facts = quiet(`Your role is ${role}; an operator can change it.`)
  const change = async () => {
    if (!draft.isTyped) return toast('There is nothing to save.')
    const renamed = await draft.save(() => send('POST /api/account/name', { name: name.control.value.trim() }))
    useSession({ ...currentSession(), ...renamed })
    show()
    document.querySelector('#person a')?.replaceChildren(typed(renamed.name))
    toast('Your name is changed.', { about: ['name'] })
  }
  const form = formOf([facts, name], change, submitButton('Change name'))
  return card('Name', form)
}

function passphraseForm() {
  const old = passphraseField('Your passphrase now', 'current-password')
  const next = passphraseField('New passphrase', 'new-password', 'At least 12 characters.')
  const fields = { old, next }
  const draft = new Draft()
  const empty = () => draft.fill(fields, {})
  empty()
  // For managers of passwords, which keep one with a name.
  const user = make('input', { autocomplete: 'username', value: currentSession().name, hidden: true, readonly: true })
  const change = async () => {
    user.defaultValue = currentSession().name
    if (old.control.value === '') return old.showProblem('Type the passphrase that you sign in with.')
    try {
      const body = { passphrase: old.control.value, next: next.control.value }
      await draft.save(() => send('POST /api/account/passphrase', body))
    } catch (error) {
      const isNew = error instanceof CallFailed && error.code === 'invalid'
      return (isNew ? next : old).showProblem(sentenceOf(error))
    }
    empty()
    toast('Your passphrase is changed. You are signed out everywhere else.', { about: ['sessions'] })
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
