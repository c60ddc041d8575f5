/** The dialogs that issue, rotate and revoke a key. A new secret is shown once, with a line to try it. */
import { CallFailed, currentSession, send } from './api.js'
import { ask, passphraseField, problemOf } from './ask.js'
import { field, make } from './elements.js'
import { showOnce } from './secret.js'
import { toast } from './toast.js'
import { figure, moment } from './words.js'

/** @import { IssuedKey, NewKey, OfficeKey } from '../office-data.ts' */

/** @type {Readonly<Record<string, string>>} */
const PLANS = {
  free: 'Free: 60 a minute, 1,000 a day',
  pro: 'Pro: 300 a minute, 10,000 a day',
  business: 'Business: 1,000 a minute, 100,000 a day',
  enterprise: 'Enterprise: numbers of its own',
}
const REASON = 'Asked for again, because whoever has a key can use it anywhere.'
const HOUR_S = 3_600
const DAY_S = 86_400
/** @type {readonly (readonly [number, string])[]} */
const OVERLAPS = [
  [0, 'Not at all'],
  [HOUR_S, 'For an hour'],
  [DAY_S, 'For a day'],
  [7 * DAY_S, 'For a week'],
  [30 * DAY_S, 'For 30 days'],
]

/** @param {() => void} onDone */
export async function issueKey(onDone) {
  const label = field(
    'Label',
    make('input', { autocomplete: 'off', maxlength: 400 }),
    'Whose key it is, up to 200 characters.',
  )
  const plan = field(
    'Plan',
    make('select', {}, ...Object.entries(PLANS).map(([value, name]) => make('option', { value }, name))),
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
  /** @type {IssuedKey | undefined} */
  const issued = await ask('New key', 'Issue key', elements, async () => {
    for (const each of Object.values(fields)) each.mark('')
    const body = read(plan.control.value, fields)
    return body === undefined ? undefined : issue('api/keys', body, passphrase)
  })
  onDone()
  if (issued !== undefined) await showSecret('The new key', issued)
}

/** @param {OfficeKey} key @param {() => void} onDone */
export async function rotateKey({ id, label }, onDone) {
  const overlap = field(
    'How long the old key still works',
    make('select', {}, ...OVERLAPS.map(([value, name]) => make('option', { value, selected: value === DAY_S }, name))),
  )
  const passphrase = passphraseField(REASON)
  const text = `A new key takes the place of “${label || id}”, with the same plan, label, end and use of its limits.`
  const elements = [make('p', { class: 'typed', dir: 'auto' }, text), overlap.element, passphrase.element]
  /** @type {IssuedKey | undefined} */
  const issued = await ask('Rotate this key?', 'Rotate key', elements, async () => {
    passphrase.mark('')
    if (passphrase.control.value === '') return void passphrase.mark('Type your passphrase.')
    const body = { overlapS: Number(overlap.control.value), passphrase: passphrase.control.value }
    return issue(`api/keys/${encodeURIComponent(id)}/rotate`, body, passphrase)
  })
  onDone()
  if (issued !== undefined) await showSecret('The new key', issued)
}

/** @param {OfficeKey} key @param {() => void} onDone */
export async function revokeKey({ id, label }, onDone) {
  const what = label === '' ? 'id' : 'label'
  const name = field(`Type its ${what}`, make('input', { autocomplete: 'off', spellcheck: false, dir: 'auto' }))
  const elements = [
    make('p', {}, 'Requests with this key are refused from now on. This cannot be undone.'),
    make('p', { class: 'typed strong', dir: 'auto' }, label || id),
    name.element,
  ]
  /** @type {OfficeKey | undefined} */
  const revoked = await ask(
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

/**
 * Sends what makes a new secret. Undefined if it was refused, which is shown at the passphrase.
 * @param {string} path
 * @param {unknown} body
 * @param {{ mark: (sentence: string) => void }} passphrase
 * @returns {Promise<IssuedKey | undefined>}
 */
async function issue(path, body, passphrase) {
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

/**
 * @param {string} plan
 * @param {Readonly<Record<'label' | 'perMinute' | 'perDay' | 'expiry' | 'passphrase', ReturnType<typeof field<HTMLInputElement>>>>} fields
 * @returns {NewKey | undefined} undefined after a field was marked
 */
function read(plan, { label, perMinute, perDay, expiry, passphrase }) {
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
    plan: /** @type {NewKey['plan']} */ (plan),
    passphrase: passphrase.control.value,
    ...(plan === 'enterprise' && {
      perMinute: Number(perMinute.control.value),
      perDay: Number(perDay.control.value),
    }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

/** @param {string} title @param {IssuedKey} issued */
function showSecret(title, { key, secret, oldUntilMs }) {
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

function numberInput() {
  return make('input', { inputmode: 'numeric', autocomplete: 'off' })
}
