/** The dialogs that issue, rotate and revoke a key. A new secret is shown once, with a command that tries it. */

import { PLAN_NAMES, PLANS, type Plan } from '../../../contract/plans.ts'
import type { IssuedKey, NewKey, OfficeKey } from '../../office-data.ts'
import { CallFailed, currentSession, send } from '../parts/api.ts'
import { ask, passphraseField, problemOf } from '../parts/ask.ts'
import { field, make } from '../parts/elements.ts'
import { showOnce } from '../parts/secret.ts'
import { toast } from '../parts/toast.ts'
import { figure, moment } from '../parts/words.ts'

const REASON = 'Asked for again, because whoever has a key can use it anywhere.'
const HOUR_S = 3_600
const DAY_S = 86_400
const OVERLAPS: readonly (readonly [number, string])[] = [
  [0, 'Not at all'],
  [HOUR_S, 'For an hour'],
  [DAY_S, 'For a day'],
  [7 * DAY_S, 'For a week'],
  [30 * DAY_S, 'For 30 days'],
]

export async function issueKey(onDone: () => void) {
  const label = field(
    'Label',
    make('input', { autocomplete: 'off', maxlength: 400 }),
    'Whose key it is, up to 200 characters.',
  )
  const plan = field(
    'Plan',
    make('select', {}, ...PLAN_NAMES.map((value) => make('option', { value }, planWords(value)))),
  )
  const perMinute = field('Requests a minute', numberInput())
  const perDay = field('Requests a day', numberInput())
  const numbers = make('div', { class: 'pair', hidden: true }, perMinute.element, perDay.element)
  plan.control.addEventListener('change', () => {
    numbers.hidden = plan.control.value !== 'enterprise'
  })
  const expiry = field(
    'Works until',
    make('input', { type: 'datetime-local' }),
    'Leave it empty for a key without an end.',
  )
  const passphrase = passphraseField(REASON)
  const fields = { label, perMinute, perDay, expiry, passphrase }
  const elements = [label.element, plan.element, numbers, expiry.element, passphrase.element]
  const issued: IssuedKey | undefined = await ask('New key', 'Issue key', elements, async () => {
    for (const each of Object.values(fields)) each.mark('')
    const body = read(plan.control.value, fields)
    return body === undefined ? undefined : issue('api/keys', body, passphrase)
  })
  onDone()
  if (issued !== undefined) await showSecret('The new key', issued)
}

export async function rotateKey({ id, label }: OfficeKey, onDone: () => void) {
  const overlap = field(
    'How long the old key still works',
    make('select', {}, ...OVERLAPS.map(([value, name]) => make('option', { value, selected: value === DAY_S }, name))),
  )
  const passphrase = passphraseField(REASON)
  const text = `A new key takes the place of “${label || id}”, with the same plan, label, end and use of its limits.`
  const elements = [make('p', { class: 'typed', dir: 'auto' }, text), overlap.element, passphrase.element]
  const issued: IssuedKey | undefined = await ask('Rotate this key?', 'Rotate key', elements, async () => {
    passphrase.mark('')
    if (passphrase.control.value === '') return void passphrase.mark('Type your passphrase.')
    const body = { overlapS: Number(overlap.control.value), passphrase: passphrase.control.value }
    return issue(`api/keys/${encodeURIComponent(id)}/rotate`, body, passphrase)
  })
  onDone()
  if (issued !== undefined) await showSecret('The new key', issued)
}

export async function revokeKey({ id, label }: OfficeKey, onDone: () => void) {
  const what = label === '' ? 'id' : 'label'
  const name = field(`Type its ${what}`, make('input', { autocomplete: 'off', spellcheck: false, dir: 'auto' }))
  const elements = [
    make('p', {}, 'Requests with this key are refused from now on. This cannot be undone.'),
    make('p', { class: 'typed strong', dir: 'auto' }, label || id),
    name.element,
  ]
  const revoked: OfficeKey | undefined = await ask(
    'Revoke this key?',
    'Revoke key',
    elements,
    async () => {
      name.mark('')
      try {
        return await send('POST', `api/keys/${encodeURIComponent(id)}/revoke`, { label: name.control.value })
      } catch (error) {
        name.mark(problemOf(error))
      }
    },
    'danger',
  )
  onDone()
  if (revoked !== undefined) toast(`The key “${label || id}” is revoked.`)
}

/** Sends a request that makes a secret. Undefined if it was refused, which the passphrase field shows. */
async function issue(
  path: string,
  body: unknown,
  passphrase: { mark: (sentence: string) => void },
): Promise<IssuedKey | undefined> {
  try {
    return await send('POST', path, body)
  } catch (error) {
    passphrase.mark(
      error instanceof CallFailed && error.isUnsure
        ? 'No answer came. A key may have been made that nobody has seen: look at the newest keys, and revoke it.'
        : problemOf(error),
    )
  }
}

/** Undefined if a field was marked. */
function read(
  plan: string,
  {
    label,
    perMinute,
    perDay,
    expiry,
    passphrase,
  }: Readonly<
    Record<'label' | 'perMinute' | 'perDay' | 'expiry' | 'passphrase', ReturnType<typeof field<HTMLInputElement>>>
  >,
): NewKey | undefined {
  const text = label.control.value.trim()
  if (text === '') return void label.mark('Type whose key it is.')
  if (plan === 'enterprise') {
    for (const number of [perMinute, perDay]) {
      const value = Number(number.control.value)
      if (Number.isSafeInteger(value) && value >= 1) continue
      return void number.mark(`Type a whole number from 1 to ${figure(Number.MAX_SAFE_INTEGER)}.`)
    }
  }
  const expiresAtMs = expiry.control.value === '' ? undefined : new Date(expiry.control.value).getTime()
  if (Number.isNaN(expiresAtMs) || !expiry.control.validity.valid) return void expiry.mark('Type a day and a time.')
  if (expiresAtMs !== undefined && expiresAtMs <= Date.now()) return void expiry.mark('This time has passed.')
  if (passphrase.control.value === '') return void passphrase.mark('Type your passphrase.')
  return {
    label: text,
    plan: plan as NewKey['plan'],
    passphrase: passphrase.control.value,
    ...(plan === 'enterprise' && {
      perMinute: Number(perMinute.control.value),
      perDay: Number(perDay.control.value),
    }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

function showSecret(title: string, { key, secret, oldUntilMs }: IssuedKey) {
  const until = oldUntilMs === null ? '' : ` The old key works until ${moment(oldUntilMs)}.`
  return showOnce({
    title,
    text: `This is the key of “${key.label || key.id}”. It is shown only now, so keep it safe.${until}`,
    values: [
      { name: 'Key', value: secret },
      { name: 'To try it', value: `curl -i -H 'Authorization: Bearer ${secret}' ${currentSession().baseUrl}/pets` },
    ],
  })
}

/** As in "Free: 60 a minute, 1,000 a day". */
function planWords(plan: Plan) {
  const allowance = PLANS[plan]
  const numbers =
    allowance === undefined
      ? 'numbers of its own'
      : `${figure(allowance.perMinute)} a minute, ${figure(allowance.perDay)} a day`
  return `${plan.slice(0, 1).toUpperCase()}${plan.slice(1)}: ${numbers}`
}

function numberInput() {
  return make('input', { inputmode: 'numeric', autocomplete: 'off' })
}
