/** The sign-in, and choosing a passphrase by an invite link. Both cover the page, so typed text stays below. */

import { PASSPHRASE_LENGTH } from '../../../rules/bounds.ts'
import type { Session } from '../../office-data.ts'
import { CallFailed, currentSession, readAnswer, request, useSession } from '../parts/api.ts'
import { type Child, make, quiet, refocus } from '../parts/elements.ts'
import { field, onSubmit, passphraseField, problemLine, submitButton } from '../parts/fields.ts'
import { useStorage } from '../parts/storage.ts'

/** Keeps the name that last signed in with this browser. */
const LAST_NAME = 'last name'

/** Asks until name and passphrase are right. `reason` says why. */
export function signIn(reason: string = ''): Promise<Session> {
  const lastName = useStorage((storage) => storage.getItem(LAST_NAME)) ?? ''
  const name = field(
    'Name',
    make('input', { autocomplete: 'username', autocapitalize: 'none', spellcheck: false, value: lastName }),
  )
  const passphrase = passphraseField('Passphrase', 'current-password')
  return cover('Sign in', reason, [name, passphrase], 'Sign in', async () => {
    const [who, secret] = [name.required('Type your name.'), passphrase.required('Type your passphrase.')]
    if (who === undefined || secret === undefined) return undefined
    passphrase.control.select()
    const body = { name: who, passphrase: secret }
    const session = readAnswer(await request('POST /api/session', '', { body }))
    useStorage((storage) => storage.setItem(LAST_NAME, session.name))
    return session
  })
}

export async function accept(invitation: string): Promise<Session | undefined> {
  const invited = await look(invitation)
  if (invited === undefined) return undefined
  const unseen = { class: 'unseen', readonly: true, tabindex: -1, 'aria-hidden': 'true' }
  const name = make('input', { ...unseen, autocomplete: 'username', value: invited.name })
  const hint = `At least ${PASSPHRASE_LENGTH} characters. Four unrelated words are a good choice.`
  const passphraseInput = passphraseField('Passphrase', 'new-password', hint)
  const sentence = `You are invited as ${invited.role}. Choose a passphrase for signing in.`
  return cover(`Welcome, ${invited.name}`, sentence, [name, passphraseInput], 'Start', async () => {
    const passphrase = passphraseInput.control.value
    if ([...passphrase].length < PASSPHRASE_LENGTH)
      return void passphraseInput.showProblem(`Use at least ${PASSPHRASE_LENGTH} characters.`)
    return readAnswer(await request('POST /api/invitation', '', { body: { invitation, passphrase } }))
  })
}

async function look(invitation: string) {
  try {
    return readAnswer(await request('POST /api/invitation/look', '', { body: { invitation } }))
  } catch (error) {
    if (!(error instanceof CallFailed) || error.status !== 404) throw error
    return undefined
  }
}

async function isKept({ token }: Session) {
  try {
    return (await request('GET /api/session', token)).status !== 401
  } catch {
    return true // the next call reports that the service is gone
  }
}

/** Covers the page with a form until `work` returns a session. */
function cover(
  title: string,
  reason: string,
  fields: readonly Child[],
  label: string,
  work: () => Promise<Session | undefined>,
): Promise<Session> {
  const brand = make('p', { class: 'brand typed', dir: 'auto' })
  const heading = make('h1', { id: 'cover-title', dir: 'auto', class: 'typed' }, title)
  const problem = problemLine()
  const parts = [brand, heading, reason !== '' && quiet(reason), fields, problem, submitButton(label)]
  const form = make('form', { class: 'card sign-in' }, parts)
  request('GET /api/shelter', '').then(
    (answer) => brand.append(readAnswer(answer).name),
    () => {},
  )
  // Escape must not uncover the page. Browsers without `closedby` fire `cancel` first.
  const dialog = make('dialog', { class: 'cover', closedby: 'none', 'aria-labelledby': 'cover-title' }, form)
  dialog.addEventListener('cancel', (event) => event.preventDefault())
  document.body.append(dialog)
  const before = document.activeElement
  dialog.showModal()
  const open = [...form.querySelectorAll<HTMLInputElement>('input:not([readonly])')]
  const first = open.find(({ value }) => value === '') ?? open[0]
  first?.focus()
  return new Promise((resolve) => {
    onSubmit(form, async () => {
      const session = await work()
      if (session === undefined) return
      if (!(await isKept(session))) {
        return problem.showProblem(
          `This browser does not keep cookies from this page, so you cannot stay signed in. Allow cookies for ${location.host}, reload the page, and sign in.`,
        )
      }
      useSession(session)
      dialog.close()
      dialog.remove()
      refocus(before)
      resolve(currentSession())
    })
    // Such a browser closes the dialog on the second Escape regardless.
    dialog.addEventListener('close', () => {
      if (dialog.isConnected) dialog.showModal()
    })
  })
}
