/** One's own account: another passphrase, which the old one confirms, and signing out everywhere else. */
import type { Session } from '../../office-data.ts'
import { CallFailed, send } from '../parts/api.ts'
import { actions, button, card, field, make, onSubmit, titled } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'
import type { Shown } from '../parts/screen.ts'
import { sentenceOf } from '../parts/words.ts'

export function showAccount(container: HTMLElement, { name, role }: Session): Shown {
  const facts = make('p', { class: 'quiet typed', dir: 'auto' }, `${name}, ${role}`)
  const form = passphraseForm(name)
  const elsewhere = card(
    'Other browsers',
    make('p', {}, 'Whoever is signed in with your name somewhere else, as on a lost phone, is signed out at once.'),
    actions(button('Sign out everywhere else', () => void signOutElsewhere(), { class: 'plain' })),
  )
  container.append(titled('Your account', facts), form.element, elsewhere)
  return { end() {}, unsaved: form.unsaved }
}

function passphraseForm(name: string) {
  const secret = (title: string, autocomplete: string, hint?: string) =>
    field(title, make('input', { type: 'password', autocomplete }), hint)
  const old = secret('Your passphrase now', 'current-password')
  const next = secret('New passphrase', 'new-password', 'At least 12 characters.')
  const again = secret('New passphrase again', 'new-password')
  const fields = [old, next, again]
  const form = make('form', { class: 'card' }, make('h2', {}, 'Passphrase'))
  // For managers of passwords, which keep one with a name.
  const user = make('input', { autocomplete: 'username', value: name, hidden: true, readonly: true })
  form.append(user, ...fields.map(({ element }) => element), actions(make('button', { type: 'submit' }, 'Change it')))
  onSubmit(form, async () => {
    for (const { mark } of fields) mark('')
    if (old.control.value === '') return old.mark('Type the passphrase that you sign in with.')
    if (next.control.value !== again.control.value) return again.mark('The two are not the same. Type it again.')
    const body = { passphrase: old.control.value, next: next.control.value }
    try {
      await send('POST /api/account/passphrase', body)
    } catch (error) {
      const isNew = error instanceof CallFailed && error.code === 'invalid'
      return (isNew ? next : old).mark(sentenceOf(error))
    }
    form.reset()
    toast('Your passphrase is changed. You are signed out everywhere else.', { about: ['sessions'] })
  })
  const isTyped = () => fields.some(({ control }) => control.value !== '')
  return { element: form, unsaved: () => (isTyped() ? 'Your passphrase is not changed yet.' : '') }
}

async function signOutElsewhere() {
  try {
    await send('POST /api/account/sign-out', {})
    toast('You are signed out everywhere else.', { about: ['sessions'] })
  } catch (error) {
    toast(sentenceOf(error), { isProblem: true, about: ['sessions'] })
  }
}
