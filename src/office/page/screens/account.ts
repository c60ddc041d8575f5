/** One's own account: another name or passphrase, which the old one confirms, and signing out everywhere else. */
import type { Role, Session } from '../../office-data.ts'
import { CallFailed, currentSession, send, useSession } from '../parts/api.ts'
import { actions, button, card, field, make, onSubmit, titled, typed } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'
import type { Shown } from '../parts/screen.ts'
import { sentenceOf } from '../parts/words.ts'

export function showAccount(container: HTMLElement, { role }: Session): Shown {
  const forms = [nameForm(role), passphraseForm()]
  const elsewhere = card(
    'Other browsers',
    make('p', {}, 'Whoever is signed in with your name somewhere else, as on a lost phone, is signed out at once.'),
    actions(button('Sign out everywhere else', () => void signOutElsewhere(), { class: 'plain' })),
  )
  const cards = make('div', { class: 'two' }, ...forms.map(({ element }) => element), elsewhere)
  container.append(titled('Your account'), cards)
  return { end() {}, unsaved: () => forms.map(({ unsaved }) => unsaved()).find((loss) => loss !== '') ?? '' }
}

function nameForm(role: Role) {
  const hint = 'You sign in with it. What you did before keeps the name that you had, and nobody else gets that.'
  const name = field('Your name', make('input', { autocomplete: 'username', dir: 'auto' }), hint)
  const { control, mark } = name
  control.value = currentSession().name
  const isTyped = () => control.value.trim() !== currentSession().name
  const facts = make('p', { class: 'quiet' }, `Your role is ${role}; an operator can change it.`)
  const form = make('form', { class: 'card' }, make('h2', {}, 'Name'), facts, name.element)
  form.append(actions(make('button', { type: 'submit' }, 'Change name')))
  onSubmit(form, async () => {
    mark('')
    if (!isTyped()) return toast('There is nothing to save.')
    try {
      const renamed = await send('POST /api/account/name', { name: control.value.trim() })
      useSession({ ...currentSession(), ...renamed })
      control.value = renamed.name
      document.querySelector('#person a')?.replaceChildren(typed(renamed.name))
      toast('Your name is changed.', { about: ['name'] })
    } catch (error) {
      mark(sentenceOf(error))
    }
  })
  return { element: form, unsaved: () => (isTyped() ? 'Your name is not changed yet.' : '') }
}

function passphraseForm() {
  const secret = (title: string, autocomplete: string, hint?: string) =>
    field(title, make('input', { type: 'password', autocomplete }), hint)
  const old = secret('Your passphrase now', 'current-password')
  const next = secret('New passphrase', 'new-password', 'At least 12 characters.')
  const again = secret('New passphrase again', 'new-password')
  const fields = [old, next, again]
  const form = make('form', { class: 'card' }, make('h2', {}, 'Passphrase'))
  // For managers of passwords, which keep one with a name.
  const user = make('input', { autocomplete: 'username', value: currentSession().name, hidden: true, readonly: true })
  form.append(
    user,
    ...fields.map(({ element }) => element),
    actions(make('button', { type: 'submit' }, 'Change passphrase')),
  )
  onSubmit(form, async () => {
    for (const { mark } of fields) mark('')
    user.value = currentSession().name
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
