/**
 * The dialogs that issue, change, unban, rotate and revoke a key. A new secret is shown once, with a command that tries
 * it. Several keys may have one label, so each dialog has the id beside it.
 */
import { PLAN_NAMES, PLANS, type Plan } from '../../../contract/plans.ts'
import type { BodyOf, IssuedKey, KeyDetails, OfficeKey } from '../../office-data.ts'
import { CallFailed, currentSession, get, send } from '../parts/api.ts'
import { ask, confirm, confirmed, passphraseField, showOnce } from '../parts/dialog.ts'
import { attempt, dayField, field, make } from '../parts/elements.ts'
import { attemptOrToast, toast } from '../parts/notices.ts'
import { capital, figure, moment, quoted, readInt64, sentenceOf } from '../parts/words.ts'

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

type InputField = ReturnType<typeof field<HTMLInputElement>>
type Fields = Readonly<Record<'label' | 'perMinute' | 'perDay' | 'expiry', InputField>>

export async function issueKey(onDone: () => void) {
  const label = field(
    'Label',
    make('input', { autocomplete: 'off', maxlength: 400 }),
    'Whose key it is, up to 200 characters.',
  )
  const { plan, perMinute, perDay, numbers } = planFields()
  const expiry = dayField('Works until', 'datetime-local', 'Leave it empty for a key without an end.')
  const passphrase = passphraseField(REASON)
  const fields = { label, perMinute, perDay, expiry }
  const elements = [label.element, plan.element, numbers, expiry.element, passphrase.element]
  const issued = await ask('Issue key', elements, async () => {
    for (const each of [passphrase, ...Object.values(fields)]) each.mark('')
    const body = read(plan.control.value, fields)
    return body && issue(passphrase, (word) => send('POST /api/keys', { ...body, passphrase: word }))
  })
  onDone()
  if (issued !== undefined) await showSecret(issued)
}

export async function editKey(key: OfficeKey, onDone: () => void) {
  const label = field('Label', make('input', { autocomplete: 'off', maxlength: 400, dir: 'auto', value: key.label }))
  const { plan, perMinute, perDay, numbers } = planFields(key)
  const about = 'The key and what it has used stay as they are.'
  const elements = [make('p', {}, make('code', {}, key.id)), make('p', {}, about), label.element, plan.element, numbers]
  const edited = await ask('Change key', elements, async () => {
    for (const each of [label, perMinute, perDay]) each.mark('')
    const own = plan.control.value === 'enterprise'
    if (own && !areNumbers(perMinute, perDay)) return
    // Of the label only what was changed: a key may have none, or one of an earlier rule.
    const terms = {
      plan: plan.control.value as Plan,
      ...(label.control.value !== key.label && { label: label.control.value }),
      ...(own && numbersIn(perMinute, perDay)),
    }
    return attempt(label, () => send('POST /api/keys/:id/edit', terms, { id: key.id }))
  })
  onDone()
  if (edited !== undefined) toast(`The key ${keyWords(edited)} is changed, for all requests within five seconds.`)
}

export async function unbanKey(key: OfficeKey, onDone: () => void) {
  const text = `Requests with the key ${keyWords(key)} are answered again within five seconds, up to its limits.`
  if (!(await confirm('Unban key', text, { isDanger: false }))) return
  await attemptOrToast(`key ${key.id}`, async () => {
    await send('POST /api/keys/:id/unban', {}, { id: key.id })
    toast(`The key ${keyWords(key)} is not banned any more.`)
  })
  onDone()
}

/** As in “Shelter” (key_1a2b). */
function keyWords({ id, label }: OfficeKey) {
  return label === '' ? id : `${quoted(label)} (${id})`
}

export async function rotateKey(key: OfficeKey, onDone: () => void) {
  const { id } = key
  const overlap = field(
    'How long the old key still works',
    make('select', {}, ...OVERLAPS.map(([value, name]) => make('option', { value, selected: value === DAY_S }, name))),
  )
  const passphrase = passphraseField(REASON)
  const text = `A new key takes the place of ${keyWords(key)}, with the same plan, label, end and use of its limits.`
  const elements = [make('p', { class: 'typed', dir: 'auto' }, text), overlap.element, passphrase.element]
  const issued = await ask('Rotate key', elements, () => {
    const overlapS = Number(overlap.control.value)
    return issue(passphrase, (word) => send('POST /api/keys/:id/rotate', { overlapS, passphrase: word }, { id }))
  })
  onDone()
  if (issued !== undefined) await showSecret(issued)
}

export async function revokeKey(key: OfficeKey, onDone: () => void) {
  const { id, label } = key
  const facts = make('p', { class: 'quiet' }, lastUseWords(key))
  // Shown when it arrives; the key can be revoked before.
  get('/api/keys/:id', { id }).then(
    (details) => facts.append(` ${successorWords(details)}`),
    (error: unknown) => facts.append(` ${sentenceOf(error)}`),
  )
  const what = label === '' ? 'id' : 'label'
  const name = field(`Type its ${what}`, make('input', { autocomplete: 'off', spellcheck: false, dir: 'auto' }))
  const elements = [
    make('p', {}, 'Requests with this key are refused from now on. This cannot be undone.'),
    make('p', { class: 'typed strong', dir: 'auto' }, label || 'No label'),
    make('p', {}, make('code', {}, id)),
    facts,
    name.element,
  ]
  const work = () => attempt(name, () => send('POST /api/keys/:id/revoke', { label: name.control.value }, { id }))
  const revoked = await ask('Revoke key', elements, work, { isDanger: true })
  onDone()
  if (revoked !== undefined) toast(`The key ${keyWords(key)} is revoked.`)
}

/** Of this key alone: what is used of its windows may have been used with a key that it replaced. */
export function lastUseWord({ lastUsedAtMs }: OfficeKey) {
  return lastUsedAtMs === null ? 'never' : moment(lastUsedAtMs)
}

function lastUseWords(key: OfficeKey) {
  const use = lastUseWord(key)
  return use === 'never' ? 'It was never used.' : `It was used last ${use}.`
}

function successorWords({ successor }: KeyDetails) {
  if (successor === null) return 'No key has replaced it.'
  return `It was replaced by ${successor.id} ${moment(successor.createdAtMs)}.`
}

/** Sends a request that makes a secret. */
function issue(passphrase: InputField, sendWith: (passphrase: string) => Promise<IssuedKey>) {
  return confirmed(passphrase, async (word) => {
    try {
      return await sendWith(word)
    } catch (error) {
      if (!(error instanceof CallFailed && error.isUnsure)) throw error
      const unseen = 'A key may have been made that nobody has seen: look at the newest keys, and revoke it.'
      throw new CallFailed(`No answer came. ${unseen}`)
    }
  })
}

/** Undefined if a field was marked. */
function read(
  plan: string,
  { label, perMinute, perDay, expiry }: Fields,
): Omit<BodyOf<'POST /api/keys'>, 'passphrase'> | undefined {
  const text = label.control.value.trim()
  if (text === '') return void label.mark('Type whose key it is.')
  if (plan === 'enterprise' && !areNumbers(perMinute, perDay)) return
  const expiresAtMs = expiry.control.value === '' ? undefined : new Date(expiry.control.value).getTime()
  if (Number.isNaN(expiresAtMs) || !expiry.control.validity.valid) return void expiry.mark('Type a day and a time.')
  if (expiresAtMs !== undefined && expiresAtMs <= Date.now()) return void expiry.mark('This time has passed.')
  return {
    label: text,
    plan: plan as Plan,
    ...(plan === 'enterprise' && numbersIn(perMinute, perDay)),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

function showSecret({ key, secret, oldUntilMs }: IssuedKey) {
  const until = oldUntilMs === null ? '' : ` The old key works until ${moment(oldUntilMs)}.`
  const text = `This is the key of ${keyWords(key)}. It is shown only now, so keep it safe.${until}`
  return showOnce('New key', text, [
    { name: 'Key', value: secret },
    { name: 'To try it', value: `curl -i -H 'Authorization: Bearer ${secret}' ${currentSession().baseUrl}/pets` },
  ])
}

/** As in "Free: 60 a minute, 1,000 a day". */
function planWords(plan: Plan) {
  const allowance = PLANS[plan]
  const numbers =
    allowance === undefined
      ? 'numbers of its own'
      : `${figure(allowance.perMinute)} a minute, ${figure(allowance.perDay)} a day`
  return `${capital(plan)}: ${numbers}`
}

/** The plan, and the numbers of one that has its own. */
function planFields(key?: OfficeKey) {
  const chosen = key?.plan ?? 'free'
  const options = PLAN_NAMES.map((value) => make('option', { value, selected: value === chosen }, planWords(value)))
  const plan = field('Plan', make('select', {}, ...options))
  const perMinute = field('Requests a minute', numberInput(key?.minute.limit))
  const perDay = field('Requests a day', numberInput(key?.day.limit))
  const numbers = make('div', { class: 'pair' }, perMinute.element, perDay.element)
  const showNumbers = () => {
    numbers.hidden = plan.control.value !== 'enterprise'
  }
  showNumbers()
  plan.control.addEventListener('change', showNumbers)
  return { plan, perMinute, perDay, numbers }
}

function numberInput(value?: number) {
  return make('input', { inputmode: 'numeric', autocomplete: 'off', value })
}

/** Accepts thousands separators; NaN if the text is no number. */
function numberIn({ value }: HTMLInputElement) {
  return Number(readInt64(value) ?? Number.NaN)
}

function numbersIn(perMinute: InputField, perDay: InputField) {
  return { perMinute: numberIn(perMinute.control), perDay: numberIn(perDay.control) }
}

/** Marks the first field without a valid number. */
function areNumbers(...fields: readonly InputField[]) {
  const wrong = fields.find(({ control }) => !(Number.isSafeInteger(numberIn(control)) && numberIn(control) >= 1))
  wrong?.mark(`Type a whole number from 1 to ${figure(Number.MAX_SAFE_INTEGER)}.`)
  return wrong === undefined
}
